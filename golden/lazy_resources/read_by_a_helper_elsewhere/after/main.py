import argparse
import os
import sqlite3
import tempfile

from report import head
from torch.utils.data import DataLoader

from tables import Table


def build(root):
    path = os.path.join(root, "a.db")
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE t (x INTEGER)")
    connection.executemany("INSERT INTO t VALUES (?)", [(n * n,) for n in range(4)])
    connection.commit()
    connection.close()
    table = Table(path)
    assert head(table) == 0
    return table


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        dataset = build(root)
        options = {"num_workers": args.workers}
        if args.workers:
            options["multiprocessing_context"] = args.start_method
        loader = DataLoader(dataset, batch_size=2, **options)
        print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
