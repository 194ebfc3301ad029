import argparse
import os
import sqlite3
import tempfile

from torch.utils.data import DataLoader, Dataset
from unittest import mock


class Rows(Dataset):
    def __init__(self, name):
        self.name = name
        self.db = self._open()

    def _open(self):
        return sqlite3.connect(os.path.join(os.environ["ROWS_ROOT"], self.name))

    def __len__(self):
        return 6

    def __getitem__(self, index):
        return self.db.execute("SELECT v FROM t WHERE id=?", (index,)).fetchone()[0]


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
        make_db(folder)
        with mock.patch.dict(os.environ, {"ROWS_ROOT": folder}):
            rows = Rows("a.db")
        loader = DataLoader(
            rows, batch_size=2, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
