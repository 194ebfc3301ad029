import argparse
import os
import sqlite3
import tempfile

import torch
from torch.utils.data import DataLoader, Dataset


class Store:
    def __init__(self, db):
        self.db = db

    def value(self, key):
        return self.db.execute("SELECT v FROM t WHERE k = ?", (key,)).fetchone()["v"]


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
        connection.row_factory = sqlite3.Row
        count = connection.execute("SELECT count(*) FROM t").fetchone()[0]
        rows = Rows(Store(connection), list(range(count)))
        method = a.start_method if a.workers else None
        loader = DataLoader(rows, batch_size=2, num_workers=a.workers, multiprocessing_context=method)
        print("RESULT", sum(int(b.sum()) for b in loader))
        connection.close()


if __name__ == "__main__":
    main()
