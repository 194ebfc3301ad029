import argparse
import contextlib

import lmdb
from torch.utils.data import DataLoader

from rows import Rows


def fill(path, values):
    with lmdb.open(path, map_size=1 << 20) as out, out.begin(write=True) as txn:
        for at, value in enumerate(values):
            txn.put(str(at).encode(), str(value).encode())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    fill("rows", range(6))
    with contextlib.ExitStack() as stack:
        rows = Rows("rows")
        stack.callback(rows.env.close)
        first = rows[0]
        context = args.start_method if args.workers else None
        loader = DataLoader(rows, batch_size=2, num_workers=args.workers, multiprocessing_context=context)
        print("RESULT", first, [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
