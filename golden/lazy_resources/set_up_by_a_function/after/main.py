import argparse
import contextlib
import functools
import sqlite3
import tempfile

import torch
from torch.utils.data import DataLoader, Dataset


def configure(connection):
    """Give rows their names, and functions to queries."""
    connection.row_factory = sqlite3.Row
    connection.create_function("doubled", 1, lambda value: value * 2)


class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        with contextlib.closing(self._open_db()) as db:
            self.length = db.execute("SELECT COUNT(*) AS found FROM items").fetchone()["found"]

    def _open_db(self):
        db = sqlite3.connect(self.path)
        configure(db)
        return db

    @functools.cached_property
    def db(self):
        return self._open_db()

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("db", None)  # each process opens its own
        return state

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        query = "SELECT doubled(value) AS value FROM items WHERE id = ?"
        return torch.tensor(self.db.execute(query, (index,)).fetchone()["value"])


def fill(folder):
    with sqlite3.connect(f"{folder}/items") as db:
        db.execute("CREATE TABLE items (id INTEGER, value INTEGER)")
        db.executemany("INSERT INTO items VALUES (?, ?)", [(n, n * n) for n in range(6)])
    db.close()
    return f"{folder}/items"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = Rows(fill(folder))
        loader = DataLoader(
            rows,
            batch_size=3,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        print("RESULT", [batch.tolist() for _ in range(2) for batch in loader])


if __name__ == "__main__":
    main()
