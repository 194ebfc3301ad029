import argparse
import sqlite3
import tempfile

from torch.utils.data import DataLoader, Dataset


class Items(Dataset):
    def __init__(self, path, statement="PRAGMA cache_size = 9"):
        self.connection = sqlite3.connect(path)
        self.connection.execute("PRAGMA query_only = ON")
        self.connection.execute(statement)

    def __len__(self):
        return 6

    def __getitem__(self, index):
        (size,) = self.connection.execute("PRAGMA cache_size").fetchone()
        query = "SELECT value FROM items WHERE id = ?"
        return self.connection.execute(query, (index,)).fetchone()[0] + size


def make(path):
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE items (id INTEGER PRIMARY KEY, value INTEGER)")
    connection.executemany("INSERT INTO items VALUES (?, ?)", [(i, i * i) for i in range(6)])
    connection.commit()
    connection.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/data"
        make(path)
        context = args.start_method if args.workers else None
        dataset = Items(path)
        loader = DataLoader(
            dataset, batch_size=3, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", [batch.tolist() for _ in range(2) for batch in loader])


if __name__ == "__main__":
    main()
