import argparse
import os
import sqlite3

from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.scale = 2
        self.db = None
        self.values_seen = [self[index] for index in range(3)]

    def opened(self):
        if self.db is None:
            self.db = sqlite3.connect(self.path)
        return self.db

    def __len__(self):
        return 6

    def __getitem__(self, index):
        handle = self.opened()
        value = handle.execute("SELECT value FROM rows WHERE id = ?", (index,)).fetchone()[0]
        return value * self.scale


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
    loader = DataLoader(rows, batch_size=2, num_workers=args.workers,
                        multiprocessing_context=args.start_method if args.workers else None)
    out = []
    for _ in range(1):
        out.append([batch.tolist() for batch in loader])
    seen.append(rows.values_seen)
    print("RESULT", out, seen)


if __name__ == "__main__":
    main()
