import argparse
import os
import sqlite3
import tempfile

from torch.utils.data import DataLoader, Dataset
import threading


class Rows(Dataset):
    def __init__(self):
        self.lock = threading.Lock()

    def begin(self):
        self.lock.acquire()

    def end(self):
        self.lock.release()

    def __len__(self):
        return 6

    def __getitem__(self, index):
        return index * 2 if self.lock.locked() else index


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    rows = Rows()
    rows.begin()
    loader = DataLoader(
        rows, batch_size=2, num_workers=args.workers, multiprocessing_context=context
    )
    out = [batch.tolist() for batch in loader]
    rows.end()
    print("RESULT", rows.lock.locked(), out)


if __name__ == "__main__":
    main()
