import argparse
import os
import sqlite3
import tempfile

from torch.utils.data import DataLoader, Dataset


class Source(Dataset):
    def __init__(self, path):
        self.path = path
        self.open()
        self.count = self.measure()

    def __len__(self):
        return self.count


class Rows(Source):
    def open(self):
        self.db = sqlite3.connect(self.path)
        self.cursor = self.db.cursor()

    def measure(self):
        return self.cursor.execute("SELECT count(*) FROM rows").fetchone()[0]

    def __getitem__(self, index):
        self.cursor.execute("SELECT value FROM rows WHERE id = ?", (index,))
        return self.cursor.fetchone()[0]


def build(root):
    path = os.path.join(root, "rows.db")
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE rows (id INTEGER, value REAL)")
    db.executemany("INSERT INTO rows VALUES (?, ?)", [(i, i * 2.0) for i in range(5)])
    db.commit()
    db.close()
    return Rows(path)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        loader = DataLoader(
            build(root),
            batch_size=2,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
