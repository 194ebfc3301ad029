import argparse
import os
import sqlite3

from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.db = sqlite3.connect(self.path)
        self.cursor = self.db.cursor()

    def reopen(self, path):
        self.path = path
        self.db = sqlite3.connect(self.path)

    def __len__(self):
        return 6

    def __getitem__(self, index):
        query = "SELECT value FROM rows WHERE id = ?"
        return self.cursor.execute(query, (index,)).fetchone()[0]


def fill(path, values):
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE rows (id INTEGER, value INTEGER)")
    db.executemany("INSERT INTO rows VALUES (?, ?)", enumerate(values))
    db.commit()
    db.close()


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
    rows.reopen(other)
    loader = DataLoader(
        rows,
        batch_size=2,
        num_workers=args.workers,
        multiprocessing_context=args.start_method if args.workers else None,
    )
    out = [[batch.tolist() for batch in loader] for _ in range(2)]
    seen.append(1)
    print("RESULT", out, seen)


if __name__ == "__main__":
    main()
