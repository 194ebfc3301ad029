import argparse
import os
import sqlite3
import tempfile
import threading

import torch
from torch.utils.data import DataLoader, Dataset


class Database:
    def __init__(self, path: str, timeout: float = 5.0) -> None:
        self.lock = threading.Lock()
        self.path = path
        self.timeout = timeout
        self._connection_by_pid: dict[int, sqlite3.Connection] = {}

    @property
    def connection(self) -> sqlite3.Connection:
        pid = os.getpid()
        if pid not in self._connection_by_pid:
            connection = sqlite3.connect(self.path, timeout=self.timeout, check_same_thread=False)
            connection.execute("PRAGMA query_only = ON")
            self._connection_by_pid[pid] = connection
        return self._connection_by_pid[pid]

    def __getstate__(self) -> dict[str, object]:
        state = self.__dict__.copy()
        state.pop("lock", None)  # recreated by __setstate__
        state["_connection_by_pid"] = {}  # each process opens its own
        return state

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        self.lock = threading.Lock()

    def value(self, i: int) -> float:
        with self.lock:
            return self.connection.execute("SELECT v FROM t WHERE id = ?", (i,)).fetchone()[0]

    def count(self) -> int:
        return self.connection.execute("SELECT COUNT(*) FROM t").fetchone()[0]


class Rows(Dataset[torch.Tensor]):
    def __init__(self, database: Database) -> None:
        self.database = database

    def __len__(self) -> int:
        return self.database.count()

    def __getitem__(self, i: int) -> torch.Tensor:
        return torch.tensor(self.database.value(i))


def build(root):
    path = os.path.join(root, "t.db")
    c = sqlite3.connect(path)
    c.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, v REAL)")
    c.executemany("INSERT INTO t VALUES (?, ?)", [(i, i * 1.5) for i in range(8)])
    c.commit()
    c.close()
    return Rows(Database(path))


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
