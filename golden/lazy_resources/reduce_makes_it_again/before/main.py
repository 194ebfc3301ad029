import argparse
import sqlite3
import tempfile

from torch.utils.data import DataLoader, Dataset


class Store:
    def __init__(self, path):
        self.path = path
        self.db = sqlite3.connect(path)

    def __reduce__(self):
        return Store, (self.path,)

    def get(self, index):
        return self.db.execute("SELECT v FROM t WHERE id=?", (index,)).fetchone()[0]


class Rows(Dataset):
    def __init__(self, path):
        self.store = Store(path)

    def __len__(self):
        return 6

    def __getitem__(self, index):
        return self.store.get(index)


def create(path):
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE t (id INTEGER, v INTEGER)")
    connection.executemany("INSERT INTO t VALUES (?, ?)", [(i, i * i) for i in range(6)])
    connection.commit()
    connection.close()
    return path


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        context = args.start_method if args.workers else None
        loader = DataLoader(
            Rows(create(folder + "/a.db")),
            batch_size=2,
            num_workers=args.workers,
            multiprocessing_context=context,
        )
        print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
