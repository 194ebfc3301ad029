import argparse
import functools
import os
import sqlite3
import tempfile

import torch
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, name):
        self.strict = True
        self._db_path = os.path.abspath(name + ".db")

    @functools.cached_property
    def db(self):
        db = sqlite3.connect(self._db_path)
        if self.strict:
            db.execute("PRAGMA case_sensitive_like = 1")
        return db

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("db", None)  # each process opens its own
        return state

    def __len__(self):
        return 4

    def __getitem__(self, i):
        row = self.db.execute("SELECT x + 10 * ('a' LIKE 'A') FROM rows WHERE id = ?", (i,))
        return torch.tensor(row.fetchone()[0])


def build(root):
    here = os.getcwd()
    os.chdir(root)
    db = sqlite3.connect("rows.db")
    db.execute("CREATE TABLE rows (id INTEGER, x INTEGER)")
    db.executemany("INSERT INTO rows VALUES (?, ?)", enumerate([3, 4, 5, 6]))
    db.commit()
    db.close()
    rows = Rows("rows")
    os.chdir(here)
    return rows


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
