import argparse
import os
import sqlite3

from torch.utils.data import DataLoader

import settings
from rows import Rows


def fill(path, values):
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE rows (id INTEGER, value INTEGER)")
    db.executemany("INSERT INTO rows VALUES (?, ?)", enumerate(values))
    db.commit()
    db.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    os.makedirs("data")
    path, other = "data/first", "data/second"
    fill(path, [at * at + 1 for at in range(6)])
    fill(other, [at + 40 for at in range(6)])
    settings.use(path)
    seen = []
    rows = Rows()
    os.replace(other, path)
    loader = DataLoader(rows, batch_size=2, num_workers=args.workers,
                        multiprocessing_context=args.start_method if args.workers else None)
    out = []
    for _ in range(1):
        out.append([batch.tolist() for batch in loader])
    print("RESULT", out, seen)


if __name__ == "__main__":
    main()
