import argparse
import functools
import os
import tempfile

import torch
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path):
        self.path = path

    @functools.cached_property
    def number(self):
        return os.open(self.path, os.O_RDONLY)

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("number", None)  # each process opens its own
        return state

    def close(self):
        if "number" in self.__dict__:
            os.close(self.number)

    def __len__(self):
        return 6

    def __getitem__(self, index):
        return torch.tensor(os.pread(self.number, 1, index)[0])


def fill(folder):
    paths = []
    for name in ("first", "second"):
        path = f"{folder}/{name}"
        with open(path, "wb") as file:
            file.write(bytes(range(6)))
        paths.append(path)
    return paths


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = Rows(fill(folder)[1])
        loader = DataLoader(
            rows,
            batch_size=3,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        print("RESULT", [batch.tolist() for _ in range(2) for batch in loader])


if __name__ == "__main__":
    main()
