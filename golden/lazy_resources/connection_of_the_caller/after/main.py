import argparse
import os
import sqlite3
import tempfile

import torch
from torch.utils.data import DataLoader, Dataset


class Store:
    def __init__(self, db):
        self._db_by_pid = {os.getpid(): db}
        self._db_path = db.execute("PRAGMA database_list").fetchone()[2]

    @property
    def db(self):
        pid = os.getpid()
        if pid not in self._db_by_pid:
            self._db_by_pid[pid] = sqlite3.connect(self._db_path)
        return self._db_by_pid[pid]

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_db_by_pid"] = {}  # each process opens its own
        return state

    def value(self, key):
        return self.db.execute("SELECT v FROM t WHERE k = ?", (key,)).fetchone()[0]


class Rows(Dataset):
    def __init__(self, store, keys):
        self.store = store
        self.keys = keys

    def __len__(self):
        return len(self.keys)

    def __getitem__(self, index):
        return torch.tensor(self.store.value(self.keys[index]))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--workers", type=int, default=0)
    p.add_argument("--start-method", default="spawn")
    a = p.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.db")
        with sqlite3.connect(path) as made:
            made.execute("CREATE TABLE t (k INTEGER, v INTEGER)")
            made.executemany("INSERT INTO t VALUES (?, ?)", [(i, i * i) for i in range(9)])
        made.close()
        connection = sqlite3.connect(path)
        count = connection.execute("SELECT count(*) FROM t").fetchone()[0]
        rows = Rows(Store(connection), list(range(count)))
        method = a.start_method if a.workers else None
        loader = DataLoader(rows, batch_size=2, num_workers=a.workers, multiprocessing_context=method)
        print("RESULT", sum(int(b.sum()) for b in loader))
        connection.close()


if __name__ == "__main__":
    main()
