import argparse
import functools
import os
import sqlite3
import tempfile

from torch.utils.data import DataLoader, Dataset


class Table(Dataset):
    def __init__(self, root, name):
        self.root = root
        self.name = name
        self._name = self.name

    @functools.cached_property
    def db(self):
        return sqlite3.connect(os.path.join(self.root, self._name + ".db"))

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("db", None)  # each process opens its own
        return state

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return self.db.execute("SELECT x FROM t WHERE rowid = ?", (index + 1,)).fetchone()[0]


class Fold(Table):
    """A table that is known by its fold in reports."""

    def use(self, fold):
        self.name = f"fold{fold}"
        return self


def fill(root, name, start):
    db = sqlite3.connect(os.path.join(root, name + ".db"))
    db.execute("CREATE TABLE t (x INTEGER)")
    db.executemany("INSERT INTO t VALUES (?)", [(start + n,) for n in range(4)])
    db.commit()
    db.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    with tempfile.TemporaryDirectory() as root:
        fill(root, "rows", 0)
        fill(root, "fold1", 100)
        fold = Fold(root, "rows").use(1)
        loader = DataLoader(
            fold, batch_size=2, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", fold.name, [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
