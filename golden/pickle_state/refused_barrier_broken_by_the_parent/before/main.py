import argparse
import os
import sqlite3
import tempfile

from torch.utils.data import DataLoader, Dataset
import threading


class Rows(Dataset):
    def __init__(self):
        self.barrier = threading.Barrier(1)
        self.barrier.wait()

    def stop(self):
        self.barrier.abort()

    def __len__(self):
        return 6

    def __getitem__(self, index):
        return index * 2 if self.barrier.broken else index


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    rows = Rows()
    rows.stop()
    loader = DataLoader(
        rows, batch_size=2, num_workers=args.workers, multiprocessing_context=context
    )
    print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
