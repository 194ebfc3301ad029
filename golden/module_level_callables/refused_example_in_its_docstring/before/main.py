import argparse
import os
import sqlite3
import tempfile

from torch.utils.data import DataLoader, Dataset
import doctest

import collating
from collating import make_collate


class Rows(Dataset):
    def __len__(self):
        return 6

    def __getitem__(self, index):
        return index


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    rows = Rows()
    loader = DataLoader(
        rows,
        batch_size=2,
        num_workers=args.workers,
        multiprocessing_context=context,
        collate_fn=make_collate(3),
    )
    print("RESULT", doctest.testmod(collating), [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
