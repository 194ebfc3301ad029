import argparse
import contextlib
import functools
import sqlite3
import tempfile

from torch.utils.data import DataLoader, Dataset


class Items(Dataset):
    def __init__(self, path):
        self.path = path
        with contextlib.closing(sqlite3.connect(self.path)) as connection:
            self._length = connection.execute("SELECT COUNT(*) FROM items").fetchone()[0]

    @functools.cached_property
    def connection(self):
        return sqlite3.connect(self.path)

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("connection", None)  # each process opens its own
        return state

    def __len__(self):
        return self._length

    def __getitem__(self, index):
        return self.connection.execute("SELECT value FROM items WHERE id = ?", (index,)).fetchone()[0]

    def __del__(self):
        if "connection" in self.__dict__:  # __init__ may have failed
            self.connection.close()


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
