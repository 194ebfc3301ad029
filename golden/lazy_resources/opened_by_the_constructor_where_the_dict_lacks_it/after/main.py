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
        self.length = self.opened().execute("SELECT COUNT(*) FROM items").fetchone()[0]

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

    def opened(self):
        if not hasattr(self, "db"):
            self.db = sqlite3.connect(self.path)
        return self.db

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        query = "SELECT value FROM items WHERE id = ?"
        return torch.tensor(self.opened().execute(query, (index,)).fetchone()[0])


def fill(folder):
    with sqlite3.connect(f"{folder}/items") as db:
        db.execute("CREATE TABLE items (id INTEGER, value INTEGER)")
        db.executemany("INSERT INTO items VALUES (?, ?)", [(n, n * n) for n in range(6)])
    db.close()
    return f"{folder}/items"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = Rows(fill(folder))
        loader = DataLoader(
            rows,
            batch_size=3,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        print("RESULT", [batch.tolist() for _ in range(2) for batch in loader])


if __name__ == "__main__":
    main()
