import argparse
import sqlite3
from multiprocessing.reduction import ForkingPickler

from torch.utils.data import DataLoader, Dataset


def open_again(path):
    return sqlite3.connect(path)


def reduce_connection(db):
    return open_again, (db.execute("PRAGMA database_list").fetchone()[2],)


ForkingPickler.register(sqlite3.Connection, reduce_connection)


class Rows(Dataset):
    def __init__(self, path):
        self.db = sqlite3.connect(path)

    def __len__(self):
        return 6

    def __getitem__(self, index):
        return self.db.execute("SELECT ?", (index,)).fetchone()[0]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    rows = Rows("rows.db")
    loader = DataLoader(
        rows,
        batch_size=2,
        num_workers=args.workers,
        multiprocessing_context=args.start_method if args.workers else None,
    )
    print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
