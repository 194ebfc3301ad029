import argparse
import os
import sqlite3
import tempfile
import types

import torch
from torch.utils.data import DataLoader, Dataset


class Table(Dataset):
    def __init__(self, config):
        self.config = config
        self.connection = sqlite3.connect(config.database, timeout=config.limits["timeout"])
        self.connection.execute("PRAGMA query_only = ON")

    def __len__(self):
        return self.config.rows

    def __getitem__(self, i):
        row = self.connection.execute("SELECT x FROM t WHERE rowid = ?", (i + 1,))
        return torch.tensor(row.fetchone()[0])


def fill(path, start):
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE t (x INTEGER)")
    connection.executemany("INSERT INTO t VALUES (?)", [(start + n,) for n in range(4)])
    connection.commit()
    connection.close()


def build(root):
    fill(os.path.join(root, "train.db"), 0)
    fill(os.path.join(root, "valid.db"), 100)
    config = types.SimpleNamespace(
        database=os.path.join(root, "train.db"), rows=4, limits={"timeout": 3.0}
    )
    train = Table(config)
    config.database = os.path.join(root, "valid.db")  # for whatever is made next
    return train


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
