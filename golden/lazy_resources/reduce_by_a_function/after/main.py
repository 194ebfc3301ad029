import argparse
import contextlib
import functools
import sqlite3
import tempfile

from torch.utils.data import DataLoader, Dataset


def rebuild(cls, state):
    made = cls.__new__(cls)
    made.__dict__.update(state)
    return made


class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.hits = 0
        with contextlib.closing(sqlite3.connect(self.path)) as db:
            self._length = db.execute("SELECT count(*) FROM t").fetchone()[0]

    @functools.cached_property
    def db(self):
        return sqlite3.connect(self.path)

    def __reduce_ex__(self, protocol):
        state = vars(self).copy()
        state["hits"] = 0  # counted anew
        state.pop("db", None)  # each process opens its own
        return rebuild, (type(self), state)

    def __len__(self):
        return self._length

    def __getitem__(self, index):
        return self.db.execute("SELECT v FROM t WHERE id=?", (index,)).fetchone()[0]


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
