import argparse
import copyreg
import functools
import sqlite3
import tempfile
import threading

from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.lock = threading.Lock()

    @functools.cached_property
    def db(self):
        return sqlite3.connect(self.path)

    def __reduce__(self):
        state = self.__dict__.copy()
        state.pop("db", None)  # each process opens its own
        state.pop("lock", None)  # recreated by __setstate__
        return copyreg.__newobj__, (type(self),), state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.lock = threading.Lock()

    def __len__(self):
        return 6

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
