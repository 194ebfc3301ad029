import argparse
import os
import sqlite3
import tempfile

from torch.utils.data import DataLoader, Dataset


def rounded(value):
    return value // 10 * 10


class Rows(Dataset):
    query = "SELECT x FROM items WHERE id = ?"

    def __init__(self, path, other):
        self._db_by_pid = {}
        self.other = other
        self.path = path
        self._open_db()
        self.ids = [row["id"] for row in self.db.execute("SELECT id FROM items ORDER BY id")]

    def _open_db(self):
        self.db = sqlite3.connect(self.path)
        self.db.row_factory = sqlite3.Row
        self.configure()

    @property
    def db(self):
        if os.getpid() not in self._db_by_pid:
            self._open_db()
        return self._db_by_pid[os.getpid()]

    @db.setter
    def db(self, db):
        self._db_by_pid[os.getpid()] = db

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_db_by_pid"] = {}  # each process opens its own
        return state

    def configure(self):
        self.db.execute("ATTACH DATABASE ? AS other", (self.other,))

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, index):
        return self.db.execute(self.query, (self.ids[index],)).fetchone()["x"]


class RoundedRows(Rows):
    query = (
        "SELECT rounded(i.x) + o.x AS x FROM items i JOIN other.items o ON o.id = i.id WHERE i.id = ?"
    )

    def configure(self):
        super().configure()
        self.db.create_function("rounded", 1, rounded)


def build(folder):
    for name, factor in (("a", 7), ("b", 1000)):
        db = sqlite3.connect(f"{folder}/{name}.db")
        db.execute("CREATE TABLE items (id INTEGER PRIMARY KEY, x INTEGER)")
        db.executemany("INSERT INTO items VALUES (?, ?)", [(i, i * factor) for i in range(6)])
        db.commit()
        db.close()
    return RoundedRows(f"{folder}/a.db", f"{folder}/b.db")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        context = args.start_method if args.workers else None
        dataset = build(folder)
        loader = DataLoader(
            dataset, batch_size=2, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", len(dataset), [batch.tolist() for _ in range(2) for batch in loader])


if __name__ == "__main__":
    main()
