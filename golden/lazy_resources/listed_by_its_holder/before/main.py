import argparse
import sqlite3
import tempfile

from torch.utils.data import DataLoader, Dataset


class Store:
    def __init__(self, path):
        self.conn = sqlite3.connect(path)

    def __len__(self):
        return self.conn.execute("SELECT count(*) FROM t").fetchone()[0]

    def __iter__(self):
        for row in self.conn.execute("SELECT id FROM t"):
            yield row[0]

    def __getitem__(self, key):
        return self.conn.execute("SELECT v FROM t WHERE id=?", (key,)).fetchone()[0]


class Rows(Dataset):
    def __init__(self, path):
        self.store = Store(path)
        self.keys = list(self.store)
        self.stores = [self.store]

    def __len__(self):
        return len(self.store)

    def __getitem__(self, i):
        return self.stores[0][self.keys[i]]


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
