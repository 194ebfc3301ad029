import argparse
import os
import sqlite3
import tempfile
import threading

import torch
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self._thread_by_pid = {}

    @property
    def thread(self):
        pid = os.getpid()
        if pid not in self._thread_by_pid:
            self._thread_by_pid[pid] = threading.local()
        return self._thread_by_pid[pid]

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_thread_by_pid"] = {}  # each process opens its own
        return state

    def connection(self):
        if not hasattr(self.thread, "connection"):
            self.thread.connection = sqlite3.connect(self.path)
        return self.thread.connection

    def __len__(self):
        return self.connection().execute("SELECT COUNT(*) FROM t").fetchone()[0]

    def __getitem__(self, i):
        row = self.connection().execute("SELECT x FROM t WHERE rowid = ?", (i + 1,)).fetchone()
        return torch.tensor(row[0])


def build(root):
    path = os.path.join(root, "a.db")
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE t (x INTEGER)")
    connection.executemany("INSERT INTO t VALUES (?)", [(n * n,) for n in range(4)])
    connection.commit()
    connection.close()
    return Rows(path)


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
