import argparse
import os
import sqlite3
import tempfile

import torch
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.ready = False

    def prepare(self):
        if self.ready:
            return
        self.db = sqlite3.connect(self.path)
        self.ids = [row[0] for row in self.db.execute("SELECT rowid FROM t")]
        self.ready = True

    def close(self):
        if self.ready:
            self.db.close()
            self.ready = False

    def __len__(self):
        self.prepare()
        return len(self.ids)

    def __getitem__(self, i):
        if not self.ready:
            self.prepare()
        row = self.db.execute("SELECT x FROM t WHERE rowid = ?", (self.ids[i],)).fetchone()
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
