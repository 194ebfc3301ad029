import argparse
import contextlib
import functools
import sqlite3
import tempfile

from torch.utils.data import DataLoader, Dataset


class Cursor:
    def __init__(self, connection):
        self.connection = connection
        self.cursor = connection.cursor()

    def one(self, sql, *args):
        return self.cursor.execute(sql, args).fetchone()[0]


class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        with contextlib.closing(sqlite3.connect(self.path)) as db:
            self._length = Cursor(db).one("SELECT count(*) FROM t")

    @functools.cached_property
    def db(self):
        return sqlite3.connect(self.path)

    @functools.cached_property
    def reader(self):
        return Cursor(self.db)

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("db", None)  # each process opens its own
        state.pop("reader", None)
        return state

    def __len__(self):
        return self._length

    def __getitem__(self, index):
        return self.reader.one("SELECT v FROM t WHERE id=?", index)


def build(folder):
    path = folder + "/a.db"
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE t (id INTEGER, v INTEGER)")
    db.executemany("INSERT INTO t VALUES (?, ?)", [(i, i * i) for i in range(6)])
    db.commit()
    db.close()
    return Rows(path)


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
