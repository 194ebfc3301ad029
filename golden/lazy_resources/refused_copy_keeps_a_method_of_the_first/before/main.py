import argparse
import copy
import sqlite3
import tempfile

import torch
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.scale = 1
        self.db = sqlite3.connect(self.path)
        self.take = self.__getitem__

    def __len__(self):
        return 6

    def __getitem__(self, index):
        query = "SELECT value FROM items WHERE id = ?"
        return torch.tensor(self.db.execute(query, (index,)).fetchone()[0] * self.scale)


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
        rows = Rows(fill(folder))
        first = rows.take(1).item()
        rows = copy.copy(rows)
        rows.scale = 2
        loader = DataLoader(
            rows,
            batch_size=3,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        print("RESULT", [batch.tolist() for _ in range(2) for batch in loader], first)


if __name__ == "__main__":
    main()
