import argparse
import os
import sqlite3
import tempfile

import torch
from torch.utils.data import DataLoader, Dataset


def stateless(cls):
    """Count how often an instance is pickled."""

    def __getstate__(self):
        cls.pickled = getattr(cls, "pickled", 0) + 1
        return self.__dict__

    cls.__getstate__ = __getstate__
    return cls


@stateless
class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.db = None

    def _open(self):
        if self.db is None:
            self.db = sqlite3.connect(self.path)
        return self.db

    def __len__(self):
        return self._open().execute("SELECT COUNT(*) FROM t").fetchone()[0]

    def __getitem__(self, i):
        row = self._open().execute("SELECT x FROM t WHERE rowid = ?", (i + 1,)).fetchone()
        return torch.tensor(row[0])


def build(root):
    path = os.path.join(root, "a.db")
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE t (x INTEGER)")
    connection.executemany("INSERT INTO t VALUES (?)", [(n * n,) for n in range(4)])
    connection.commit()
    connection.close()
    rows = Rows(path)
    assert len(rows) == 4
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        dataset = build(root)
        options = {"num_workers": args.workers}
        if args.workers:
            options["multiprocessing_context"] = args.start_method
        loader = DataLoader(dataset, batch_size=2, **options)
        print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
