import argparse
import os
import sqlite3
import tempfile

from torch.utils.data import DataLoader, Dataset


def make_rows(scale):
    class Rows(Dataset):
        seen = []

        def __init__(self):
            self.seen.append(scale)

        def __len__(self):
            return 6

        def __getitem__(self, index):
            return index * 10 + len(self.seen)

    Rows()
    return Rows()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    rows, other = make_rows(2), make_rows(3)
    loader = DataLoader(
        rows, batch_size=2, num_workers=args.workers, multiprocessing_context=context
    )
    print(
        "RESULT",
        type(rows) is type(other),
        rows.seen,
        other.seen,
        [batch.tolist() for batch in loader],
    )


if __name__ == "__main__":
    main()
