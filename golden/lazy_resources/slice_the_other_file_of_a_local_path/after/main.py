import argparse
import os
import sqlite3
import tempfile

from torch.utils.data import DataLoader, Dataset


def read_only(path):
    return sqlite3.connect(f"file:{path}?mode=ro", uri=True)


class Rows(Dataset):
    def __init__(self, folder):
        self._db_by_pid = {}
        raw = f"{folder}/raw.db"
        self.raw = raw
        self._db_fell_back = False
        try:
            self.db = read_only(raw.replace("raw", "corrected"))
            self.is_corrected = True
        except sqlite3.OperationalError:
            self._db_fell_back = True
            self.db = read_only(raw)
            self.is_corrected = False
        self.ids = [row[0] for row in self.db.execute("SELECT id FROM items ORDER BY id")]

    def _open_db(self):
        if self._db_fell_back:
            self.db = read_only(self.raw)
        else:
            self.db = read_only(self.raw.replace("raw", "corrected"))

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

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, index):
        return self.db.execute("SELECT x FROM items WHERE id = ?", (self.ids[index],)).fetchone()[0]


def write(path, factor):
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE items (id INTEGER PRIMARY KEY, x INTEGER)")
    db.executemany("INSERT INTO items VALUES (?, ?)", [(i, i * factor) for i in range(6)])
    db.commit()
    db.close()


def build(folder):
    write(f"{folder}/raw.db", 1)
    rows = Rows(folder)
    write(f"{folder}/corrected.db", 100)  # there from now on; the rows stay the raw ones
    return rows


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
