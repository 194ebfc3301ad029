import argparse
import os
import sqlite3
import tempfile

import torch
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path):
        self._db_by_pid = {}
        self.path = path

    @property
    def _db(self):
        if os.getpid() not in self._db_by_pid:
            raise AttributeError("_db")
        return self._db_by_pid[os.getpid()]

    @_db.setter
    def _db(self, db):
        self._db_by_pid[os.getpid()] = db

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_db_by_pid"] = {}  # each process opens its own
        return state

    @property
    def db(self):
        try:
            return self._db
        except AttributeError:
            pass
        self._db = sqlite3.connect(self.path)
        self._db.row_factory = sqlite3.Row
        return self._db

    def __len__(self):
        return self.db.execute("SELECT COUNT(*) AS n FROM t").fetchone()["n"]

    def __getitem__(self, i):
        row = self.db.execute("SELECT x FROM t WHERE rowid = ?", (i + 1,)).fetchone()
        return torch.tensor(row["x"])


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
