import argparse
import os
import sqlite3
import tempfile

from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path, rebuild=False):
        if rebuild and os.path.exists(path):
            os.remove(path)
        if not os.path.exists(path):
            self.build(path)
        self.db = sqlite3.connect(path)
        with self.db as db:
            self.length = db.execute("SELECT COUNT(*) FROM items").fetchone()[0]

    def build(self, path):
        db = sqlite3.connect(path)
        db.execute("CREATE TABLE items (id INTEGER PRIMARY KEY, value INTEGER)")
        db.executemany("INSERT INTO items VALUES (?, ?)", [(i, i * i) for i in range(6)])
        db.commit()
        db.close()

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        query = "SELECT value FROM items WHERE id = ?"
        return self.db.execute(query, (index,)).fetchone()[0]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = Rows(os.path.join(folder, "rows.db"), rebuild=True)
        context = args.start_method if args.workers else None
        loader = DataLoader(
            rows, batch_size=3, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", [batch.tolist() for _ in range(2) for batch in loader])


if __name__ == "__main__":
    main()
