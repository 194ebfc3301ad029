import argparse
import os
import sqlite3
import tempfile
import threading

from torch.utils.data import DataLoader, Dataset


class Connections(threading.local):
    def __init__(self, path):
        self.path = path
        self._db_by_pid = {}

    @property
    def db(self):
        pid = os.getpid()
        if pid not in self._db_by_pid:
            self._db_by_pid[pid] = sqlite3.connect(self.path)
        return self._db_by_pid[pid]

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_db_by_pid"] = {}  # each process opens its own
        return state


class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.local = Connections(path)
        self.count = self.local.db.execute("SELECT COUNT(*) FROM t").fetchone()[0]

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        query = "SELECT x FROM t WHERE rowid = ?"
        return self.local.db.execute(query, (index + 1,)).fetchone()[0]


def fill(path):
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE t (x INTEGER)")
    db.executemany("INSERT INTO t VALUES (?)", [(n * n,) for n in range(4)])
    db.commit()
    db.close()
    return path


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    with tempfile.TemporaryDirectory() as root:
        rows = Rows(fill(os.path.join(root, "a.db")))
        loader = DataLoader(
            rows, batch_size=2, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
