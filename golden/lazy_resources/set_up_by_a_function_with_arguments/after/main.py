import argparse
import contextlib
import functools
import sqlite3
import tempfile

from torch.utils.data import DataLoader, Dataset


class Items(Dataset):
    def __init__(self, path, cache=1000, scale=2):
        self.path = path
        self.cache = cache
        self.scale = scale
        with contextlib.closing(self._open_connection()) as connection:
            (self.count,) = connection.execute("SELECT COUNT(*) FROM items").fetchone()

    def _open_connection(self):
        connection = sqlite3.connect(self.path)
        prepare(connection, self.cache)
        connection.create_function("scaled", 1, lambda value: value * self.scale)
        return connection

    @functools.cached_property
    def connection(self):
        return self._open_connection()

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("connection", None)  # each process opens its own
        return state

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        query = "SELECT scaled(value) AS value FROM items WHERE id = ?"
        return self.connection.execute(query, (index,)).fetchone()["value"]


def prepare(connection, cache):
    connection.row_factory = sqlite3.Row
    connection.execute("PRAGMA cache_size = {}".format(cache))


def make(path):
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE items (id INTEGER PRIMARY KEY, value INTEGER)")
    connection.executemany("INSERT INTO items VALUES (?, ?)", [(i, i * i) for i in range(6)])
    connection.commit()
    connection.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/data"
        make(path)
        context = args.start_method if args.workers else None
        dataset = Items(path)
        loader = DataLoader(
            dataset, batch_size=3, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", [batch.tolist() for _ in range(2) for batch in loader])


if __name__ == "__main__":
    main()
