import argparse
import os
import sqlite3
import tempfile

import torch
from torch.utils.data import DataLoader, Dataset


class Shared(Dataset):
    """Rows over one connection for all instances."""

    _db = None

    def __init__(self, path):
        self.path = path
        Shared._db = sqlite3.connect(path)
        self.n = Shared._db.execute("SELECT COUNT(*) FROM t").fetchone()[0]

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        cur = Shared._db.cursor()
        return torch.tensor(cur.execute("SELECT v FROM t WHERE id = ?", (i,)).fetchone()[0])


def build(root):
    path = os.path.join(root, "t.db")
    c = sqlite3.connect(path)
    c.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, v REAL)")
    c.executemany("INSERT INTO t VALUES (?, ?)", [(i, i * 1.5) for i in range(8)])
    c.commit()
    c.close()
    return Shared(path)


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
        total = []
        for epoch in range(2):
            for batch in loader:
                total.append(batch.double().sum().item())
        print("RESULT", len(total), round(sum(total), 3), sorted(total)[:3])


if __name__ == "__main__":
    main()
