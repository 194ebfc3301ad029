import argparse
import sqlite3
import tempfile

from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, connection):
        self.connection = connection
        self.cursor = self.connection.cursor()
        self.size = self.cursor.execute("SELECT count(*) FROM t").fetchone()[0]

    def __len__(self):
        return self.size

    def __getitem__(self, index):
        return self.cursor.execute("SELECT v FROM t WHERE id=?", (index,)).fetchone()[0]


def build(folder):
    connection = sqlite3.connect(folder + "/a.db")
    connection.execute("CREATE TABLE t (id INTEGER, v INTEGER)")
    connection.executemany("INSERT INTO t VALUES (?, ?)", [(i, i * i) for i in range(6)])
    connection.commit()
    return Rows(connection)


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
