import argparse
import os
import sqlite3
import tempfile

from torch.utils.data import ConcatDataset, DataLoader

from rows import Rows


def fill(path, start):
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE t (x INTEGER)")
    db.executemany("INSERT INTO t VALUES (?)", [(start + n,) for n in range(4)])
    db.commit()
    db.close()
    return path


def build(root, options):
    parts = []
    for name, start in (("a.db", 1), ("b.db", 50)):
        options["path"] = fill(os.path.join(root, name), start)
        parts.append(Rows(options))
    return ConcatDataset(parts)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    with tempfile.TemporaryDirectory() as root:
        options = {"scale": 2}
        loader = DataLoader(
            build(root, options),
            batch_size=4,
            num_workers=args.workers,
            multiprocessing_context=context,
        )
        print("RESULT", [batch.tolist() for batch in loader], sorted(options))


if __name__ == "__main__":
    main()
