import argparse
import os
import sqlite3
from collections import namedtuple

from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path, *columns):
        self.db = sqlite3.connect(path)
        self.point = namedtuple("Point", columns)

    def __len__(self):
        return 6

    def __getitem__(self, index):
        row = self.db.execute("SELECT value FROM rows WHERE id = ?", (index,)).fetchone()
        return self.point(*row).value


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    os.makedirs("data")
    db = sqlite3.connect("data/rows")
    db.execute("CREATE TABLE rows (id INTEGER, value INTEGER)")
    db.executemany("INSERT INTO rows VALUES (?, ?)", enumerate(range(10, 16)))
    db.commit()
    db.close()
    loader = DataLoader(
        Rows("data/rows", "value"),
        batch_size=2,
        num_workers=args.workers,
        multiprocessing_context=args.start_method if args.workers else None,
    )
    print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
