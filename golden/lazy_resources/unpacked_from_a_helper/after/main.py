import argparse
import contextlib
import functools
import os
import sqlite3
import tempfile

from torch.utils.data import DataLoader, Dataset


def connect(path):
    connection = sqlite3.connect(path)
    return connection, connection.cursor()


class Q(Dataset):
    def __init__(self, path):
        self.path = path
        connection, cursor = connect(self.path)
        with contextlib.closing(connection):
            cursor.execute("SELECT count(*) FROM q")
            self.checked = cursor.fetchone()[0]
            cursor.execute("SELECT count(*) FROM q")
            self._length = cursor.fetchone()[0]

    @functools.cached_property
    def _opened(self):
        return connect(self.path)

    @property
    def connection(self):
        return self._opened[0]

    @property
    def cursor(self):
        return self._opened[1]

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("_opened", None)  # each process opens its own
        return state

    def __len__(self):
        return self._length

    def __getitem__(self, i):
        self.cursor.execute("SELECT v FROM q WHERE rowid = ?", (i + 1,))
        return self.cursor.fetchone()[0]


def prepare(folder):
    db = sqlite3.connect(os.path.join(folder, "q.db"))
    db.execute("CREATE TABLE q (v REAL)")
    db.executemany("INSERT INTO q VALUES (?)", [(i * 1.0,) for i in range(6)])
    db.commit()
    db.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        dataset = Q(os.path.join(folder, "q.db"))
        loader = DataLoader(
            dataset,
            batch_size=4,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        rows = [repr(batch) for _ in range(2) for batch in loader]
    print("RESULT", rows)
