import argparse
import os
import sqlite3
import tempfile

import torch
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.db = sqlite3.connect(self.path)

    def reopen(self, path):
        self.path = path
        self.db = sqlite3.connect(self.path)

    def __len__(self):
        return 6

    def __getitem__(self, index):
        query = "SELECT value FROM items WHERE id = ?"
        return torch.tensor(self.db.execute(query, (index,)).fetchone()[0])


def fill(folder):
    for name in ("items", "others"):
        with sqlite3.connect(f"{folder}/{name}") as db:
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
        fill(folder)
        home = os.getcwd()
        os.chdir(folder)
        rows = Rows("items")
        rows.reopen("others")
        os.chdir(home)
        loader = DataLoader(
            rows,
            batch_size=3,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        print("RESULT", [batch.tolist() for _ in range(2) for batch in loader])


if __name__ == "__main__":
    main()
