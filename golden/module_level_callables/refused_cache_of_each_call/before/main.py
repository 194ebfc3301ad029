import argparse
import os
import sqlite3
import tempfile

from torch.utils.data import DataLoader, Dataset
import functools


class Rows(Dataset):
    def __init__(self, transform):
        self.transform = transform

    def __len__(self):
        return 6

    def __getitem__(self, index):
        return self.transform(index)


def make(scale):
    @functools.lru_cache(maxsize=None)
    def transform(value):
        return value * 2

    return Rows(transform)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    first, second = make(1), make(2)
    first[0], first[1], second[0]
    infos = [one.transform.cache_info().misses for one in (first, second)]
    loader = DataLoader(
        first, batch_size=2, num_workers=args.workers, multiprocessing_context=context
    )
    print("RESULT", infos, [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
