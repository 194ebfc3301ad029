import argparse
import pickle
import tempfile
from pathlib import Path

import lmdb
import numpy as np
from torch.utils.data import DataLoader

from store import Objects


def write(path, split, labels):
    env = lmdb.open(str(path), subdir=False, map_size=1 << 20)
    with env.begin(write=True) as txn:
        txn.put(b"__labels__", pickle.dumps(labels))
        for i in range(9):
            txn.put(
                f"{split}{i}".encode(), pickle.dumps((np.full((2, 2), i), labels[i % len(labels)]))
            )
    env.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as tmp:
        for split in ("train", "val"):
            write(Path(tmp, f"{split}.lmdb"), split, ["car", "cat", "cup"])
            with Objects(Path(tmp, f"{split}.lmdb"), split) as data:
                loader = DataLoader(
                    data,
                    batch_size=4,
                    num_workers=args.workers,
                    multiprocessing_context=args.start_method if args.workers else None,
                )
                rows += [(x.sum().item(), y.tolist()) for x, y in loader]
    print("RESULT", rows)


if __name__ == "__main__":
    main()
