"""Reads rows of a table and records which parts an experiment has."""
import argparse
import sqlite3
from pathlib import Path

from torch.utils.data import DataLoader, Dataset

from record import contents

ROOT = Path(__file__).resolve().parent / "data"


class Table(Dataset):
    def __init__(self, path, limit):
        self.path = path
        self.limit = limit
        self.db = sqlite3.connect(path)

    def __len__(self):
        return self.limit

    def __getitem__(self, i):
        return self.db.execute("SELECT value FROM rows WHERE id = ?", (i,)).fetchone()[0]


def make(path):
    ROOT.mkdir(exist_ok=True)
    db = sqlite3.connect(path)
    db.execute("DROP TABLE IF EXISTS rows")
    db.execute("CREATE TABLE rows (id INTEGER, value INTEGER)")
    db.executemany("INSERT INTO rows VALUES (?, ?)", [(i, i * i) for i in range(8)])
    db.commit()
    db.close()


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    return parser.parse_args()


def main():
    args = parse()
    path = str(ROOT / "rows.db")
    make(path)
    table = Table(path, 8)
    parts = contents(table=table, options=args)
    loader = DataLoader(table, batch_size=4, num_workers=args.workers,
                        multiprocessing_context=args.start_method if args.workers else None)
    total = sum(int(batch.sum()) for batch in loader)
    print("RESULT", parts["table"], total)


if __name__ == "__main__":
    main()
