import argparse
import os
import sqlite3
import tempfile

from torch.utils.data import DataLoader, Dataset

from plugins import KNOWN, Plugin


def make_rows():
    class Rows(Plugin):
        def __len__(self):
            return 6

        def __getitem__(self, index):
            return index

    return Rows()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    before = list(KNOWN)
    rows = make_rows()
    make_rows()
    loader = DataLoader(
        rows, batch_size=2, num_workers=args.workers, multiprocessing_context=context
    )
    print("RESULT", before, KNOWN, [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
