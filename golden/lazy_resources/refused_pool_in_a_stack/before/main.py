import argparse
import contextlib
import os
from concurrent.futures import ThreadPoolExecutor

from torch.utils.data import DataLoader, Dataset


def first_of(rows):
    return rows[0] + rows[1]


class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.scale = 2
        self.stack = contextlib.ExitStack()
        self.pool = self.stack.enter_context(ThreadPoolExecutor(2))
        self.length = 6

    def close(self):
        self.pool.shutdown()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def __len__(self):
        return 6

    def __getitem__(self, index):
        value = self.pool.submit(pow, index, 2).result() + 1
        return value * self.scale


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    path, other = "first", "second"
    seen = []
    rows = Rows(path)
    seen.append(first_of(rows))
    with rows:
        loader = DataLoader(rows, batch_size=2, num_workers=args.workers,
                            multiprocessing_context=args.start_method if args.workers else None)
        out = []
        for _ in range(2):
            out.append([batch.tolist() for batch in loader])
        seen.append(rows.length)
    print("RESULT", out, seen)


if __name__ == "__main__":
    main()
