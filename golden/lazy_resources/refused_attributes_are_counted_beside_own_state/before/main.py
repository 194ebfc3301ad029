import argparse
import os
import sqlite3
import tempfile

from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.db = sqlite3.connect(self.path)

    def __getstate__(self):
        state = self.__dict__.copy()
        state["sent"] = True
        return state

    def __len__(self):
        return 6

    def __getitem__(self, index):
        value = self.db.execute("SELECT v FROM t WHERE id = ?", (index,)).fetchone()[0]
        return value + len(self.__dict__)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows.db")
        db = sqlite3.connect(path)
        db.execute("CREATE TABLE t (id INTEGER, v INTEGER)")
        db.executemany("INSERT INTO t VALUES (?, ?)", [(at, at * at) for at in range(6)])
        db.commit()
        db.close()
        method = args.start_method if args.workers else None
        loader = DataLoader(Rows(path), 2, num_workers=args.workers, multiprocessing_context=method)
        print("RESULT", sum(int(batch.sum()) for batch in loader))


if __name__ == "__main__":
    main()
