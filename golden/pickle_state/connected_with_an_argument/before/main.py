import argparse
import os
import sqlite3
import tempfile

import torch
from torch.utils.data import DataLoader, Dataset


class Database:
    path = None
    pragmas = ("query_only = 1", "cache_size = -2000")
    connection = None

    def setup(self, path=None):
        self.path = path or self.path
        self.connection = self._connect()
        self.on_connected()
        return self

    def _connect(self):
        connection = sqlite3.connect(self.path, timeout=5)
        for pragma in self.pragmas:
            connection.execute("PRAGMA " + pragma)
        return connection

    def on_connected(self):
        """Hook for subclasses."""

    def query(self, sql, *params):
        if self.connection is None:
            raise RuntimeError("call setup() first")
        return self.connection.execute(sql, params).fetchall()

    def teardown(self):
        if self.connection is not None:
            self.connection.close()
        self.connection = None


class Patients(Database, Dataset):
    def __init__(self, scale):
        self.scale = scale
        self.ids = []

    def on_connected(self):
        self.ids = [row[0] for row in self.query("SELECT id FROM patients ORDER BY id")]

    def __len__(self):
        return len(self.ids) or 2

    def __getitem__(self, index):
        if self.connection is None:
            return torch.tensor(-1)
        age = self.query("SELECT age FROM patients WHERE id = ?", self.ids[index])[0][0]
        return torch.tensor(age * self.scale)


def main(args):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "patients.db")
        with sqlite3.connect(path) as connection:
            connection.execute("CREATE TABLE patients (id INTEGER, age INTEGER)")
            rows = [(i, 30 + 5 * i) for i in range(4)]
            connection.executemany("INSERT INTO patients VALUES (?, ?)", rows)
        connection.close()
        connected, not_yet = Patients(2).setup(path), Patients(3)
        found = [[b.tolist() for b in loader(each, args)] for each in (connected, not_yet)]
        connected.teardown()
    print("RESULT", found)


def loader(dataset, args):
    return DataLoader(
        dataset,
        batch_size=2,
        num_workers=args.workers,
        multiprocessing_context=args.start_method if args.workers else None,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    main(parser.parse_args())
