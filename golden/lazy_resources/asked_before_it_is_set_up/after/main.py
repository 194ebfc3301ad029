import argparse
import os
import sqlite3
import tempfile

from torch.utils.data import DataLoader, Dataset


class Items(Dataset):
    def __init__(self, path):
        self.path = path
        self._connection_by_pid = {os.getpid(): sqlite3.connect(path)}
        self.first = self.connection.execute("SELECT id, value FROM items WHERE id = 3").fetchone()
        self.connection.row_factory = by_name

    @property
    def connection(self):
        pid = os.getpid()
        if pid not in self._connection_by_pid:
            connection = sqlite3.connect(self.path)
            connection.row_factory = by_name
            self._connection_by_pid[pid] = connection
        return self._connection_by_pid[pid]

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_connection_by_pid"] = {}  # each process opens its own
        return state

    def __len__(self):
        return 6

    def __getitem__(self, index):
        query = "SELECT value FROM items WHERE id = ?"
        row = self.connection.execute(query, (index,)).fetchone()
        return row["value"] + self.first[1]


def by_name(cursor, row):
    return {column[0]: value for column, value in zip(cursor.description, row)}


def make(path):
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE items (id INTEGER PRIMARY KEY, value INTEGER)")
    connection.executemany("INSERT INTO items VALUES (?, ?)", [(i, i * i) for i in range(6)])
    connection.commit()
    connection.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/data"
        make(path)
        context = args.start_method if args.workers else None
        dataset = Items(path)
        loader = DataLoader(
            dataset, batch_size=3, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", [batch.tolist() for _ in range(2) for batch in loader])


if __name__ == "__main__":
    main()
