import argparse
import os
import sqlite3

from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path):
        self.db = sqlite3.connect(path)

    def __len__(self):
        return 6

    def __getitem__(self, index):
        row = self.db.execute("SELECT value AS value FROM rows WHERE id = ?", (index,)).fetchone()
        return row[0]


def fill(path, values):
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE rows (id INTEGER, value INTEGER)")
    db.executemany("INSERT INTO rows VALUES (?, ?)", enumerate(values))
    db.commit()
    db.close()


def double(cursor, row):
    return [2 * each for each in row]


def set_up(it):
    it.db.row_factory = double


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    os.makedirs("data")
    path, other = "data/first", "data/second"
    fill(path, [at * at + 1 for at in range(6)])
    fill(other, [at + 40 for at in range(6)])
    seen = []
    rows = Rows(path)
    set_up(rows)
    loader = DataLoader(
        rows,
        batch_size=2,
        num_workers=args.workers,
        multiprocessing_context=args.start_method if args.workers else None,
    )
    out = [[batch.tolist() for batch in loader] for _ in range(2)]
    print("RESULT", out, seen)


if __name__ == "__main__":
    main()
