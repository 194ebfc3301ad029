import argparse
import os
import sqlite3
import tempfile

import torch
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path):
        self._db_by_pid = {}
        self.path = path
        self.total = self.connection().execute("SELECT SUM(x) FROM rows").fetchone()[0]

    @property
    def db(self):
        if os.getpid() not in self._db_by_pid:
            raise AttributeError("db")
        return self._db_by_pid[os.getpid()]

    @db.setter
    def db(self, db):
        self._db_by_pid[os.getpid()] = db

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_db_by_pid"] = {}  # each process opens its own
        return state

    def connection(self):
        try:
            return self.db
        except AttributeError:
            self.db = sqlite3.connect(self.path)
            return self.db

    def __len__(self):
        return 4

    def __getitem__(self, i):
        row = self.connection().execute("SELECT x FROM rows WHERE id = ?", (i,)).fetchone()
        return torch.tensor(row[0] / self.total)


def build(root):
    path = os.path.join(root, "rows.db")
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE rows (id INTEGER, x INTEGER)")
    db.executemany("INSERT INTO rows VALUES (?, ?)", enumerate([3, 4, 5, 6]))
    db.commit()
    db.close()
    return Rows(path)


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
