import argparse
import contextlib
import functools
import os
import sqlite3
import tempfile

import torch
from torch.utils.data import DataLoader, Dataset


class Years(Dataset):
    def __init__(self, root, year):
        self.root = root
        self.year = year
        self._db_path = self._database()
        with contextlib.closing(self._open_db()) as db:
            self.count = db.execute("SELECT COUNT(*) FROM t").fetchone()[0]

    def _open_db(self):
        return sqlite3.connect(self._db_path, isolation_level=None)

    @functools.cached_property
    def db(self):
        return self._open_db()

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("db", None)  # each process opens its own
        return state

    def _database(self):
        return os.path.join(self.root, f"{self.year}.db")

    def describe(self, year):
        self.year = year
        return f"labels of {self.year}"

    def __len__(self):
        return self.count

    def __getitem__(self, i):
        row = self.db.execute("SELECT x FROM t WHERE rowid = ?", (i + 1,)).fetchone()
        return torch.tensor([row[0], self.year])


def build(root):
    for year in (2001, 2002):
        connection = sqlite3.connect(os.path.join(root, f"{year}.db"))
        connection.execute("CREATE TABLE t (x INTEGER)")
        connection.executemany("INSERT INTO t VALUES (?)", [(year + n,) for n in range(4)])
        connection.commit()
        connection.close()
    years = Years(root, 2001)
    years.describe(2002)
    return years


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        dataset = build(root)
        options = {"num_workers": args.workers}
        if args.workers:
            options["multiprocessing_context"] = args.start_method
        loader = DataLoader(dataset, batch_size=2, **options)
        print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
