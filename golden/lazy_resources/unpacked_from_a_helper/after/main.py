import argparse
import os
import sqlite3
import tempfile

from torch.utils.data import DataLoader, Dataset


def connect(path):
    connection = sqlite3.connect(path)
    return connection, connection.cursor()


class Q(Dataset):
    def __init__(self, path):
        self._connection_by_pid = {}
        self._cursor_by_pid = {}
        self.path = path
        self._open_connection()
        self.cursor.execute("SELECT count(*) FROM q")
        self.checked = self.cursor.fetchone()[0]

    def _open_connection(self):
        self.connection, self.cursor = connect(self.path)

    @property
    def connection(self):
        if os.getpid() not in self._connection_by_pid:
            self._open_connection()
        return self._connection_by_pid[os.getpid()]

    @connection.setter
    def connection(self, connection):
        self._connection_by_pid[os.getpid()] = connection

    @property
    def cursor(self):
        if os.getpid() not in self._cursor_by_pid:
            self._open_connection()
        return self._cursor_by_pid[os.getpid()]

    @cursor.setter
    def cursor(self, cursor):
        self._cursor_by_pid[os.getpid()] = cursor

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_connection_by_pid"] = {}  # each process opens its own
        state["_cursor_by_pid"] = {}
        return state

    def __len__(self):
        self.cursor.execute("SELECT count(*) FROM q")
        return self.cursor.fetchone()[0]

    def __getitem__(self, i):
        self.cursor.execute("SELECT v FROM q WHERE rowid = ?", (i + 1,))
        return self.cursor.fetchone()[0]


def prepare(folder):
    db = sqlite3.connect(os.path.join(folder, "q.db"))
    db.execute("CREATE TABLE q (v REAL)")
    db.executemany("INSERT INTO q VALUES (?)", [(i * 1.0,) for i in range(6)])
    db.commit()
    db.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        dataset = Q(os.path.join(folder, "q.db"))
        loader = DataLoader(
            dataset,
            batch_size=4,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        rows = [repr(batch) for _ in range(2) for batch in loader]
    print("RESULT", rows)
