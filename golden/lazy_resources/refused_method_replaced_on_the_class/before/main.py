import argparse
import os
import sqlite3
import tempfile

from torch.utils.data import DataLoader, Dataset
import types


class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.db = sqlite3.connect(path)

    def __len__(self):
        return 6

    def __getitem__(self, index):
        return self.db.execute("SELECT v FROM t WHERE id=?", (index,)).fetchone()[0]


def doubled(self, index):
    return 2 * self.db.execute("SELECT v FROM t WHERE id=?", (index,)).fetchone()[0]


def make_db(folder, name="a.db", factor=1):
    path = os.path.join(folder, name)
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE t (id INTEGER, v INTEGER)")
    db.executemany("INSERT INTO t VALUES (?, ?)", [(i, i * i * factor) for i in range(6)])
    db.commit()
    db.close()
    return path


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    with tempfile.TemporaryDirectory() as folder:
        rows = Rows(make_db(folder))
        Rows.__getitem__ = doubled
        loader = DataLoader(
            rows, batch_size=2, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
