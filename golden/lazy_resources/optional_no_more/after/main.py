import argparse
import contextlib
import os
import sqlite3
import tempfile

from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, folder: str) -> None:
        self.path = os.path.join(folder, "r.db")
        self._conn_by_pid: dict[int, sqlite3.Connection] = {}

    @property
    def conn(self) -> sqlite3.Connection:
        if os.getpid() not in self._conn_by_pid:
            self.connect()
        return self._conn_by_pid[os.getpid()]

    @conn.setter
    def conn(self, conn: sqlite3.Connection) -> None:
        self._conn_by_pid[os.getpid()] = conn

    def __getstate__(self) -> dict[str, object]:
        state = self.__dict__.copy()
        state["_conn_by_pid"] = {}  # each process opens its own
        return state

    def connect(self) -> None:
        self.conn = sqlite3.connect(self.path)

    def __len__(self) -> int:
        return 8

    def __getitem__(self, i: int) -> float:
        with contextlib.closing(self.conn.cursor()) as cursor:
            return cursor.execute("SELECT v FROM s WHERE rowid = ?", (i + 1,)).fetchone()[0]


def prepare(folder):
    db = sqlite3.connect(os.path.join(folder, "r.db"))
    db.execute("CREATE TABLE s (v REAL)")
    db.executemany("INSERT INTO s VALUES (?)", [(i,) for i in range(8)])
    db.commit()
    db.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        dataset = Rows(folder)
        loader = DataLoader(
            dataset,
            batch_size=4,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        rows = [repr(batch) for _ in range(2) for batch in loader]
    print("RESULT", rows)
