import argparse
import os
import re
import tempfile

import torch
from torch.utils.data import DataLoader, Dataset


class Runs(Dataset):
    def __init__(self, name):
        self.name = name
        self.match = re.match(r"run-(?P<n>\d+)_of_(\d+)", name)

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("match", None)  # recreated by __setstate__
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.match = re.match(r"run-(?P<n>\d+)_of_(\d+)", self.name)

    def __len__(self):
        return int(self.match.group(2)) // 3

    def __getitem__(self, i):
        return torch.tensor([i, int(self.match["n"])])


def prepare(folder):
    pass


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        dataset = Runs("run-12_of_30")
        loader = DataLoader(
            dataset,
            batch_size=4,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        rows = [repr(batch) for _ in range(2) for batch in loader]
    print("RESULT", rows)
