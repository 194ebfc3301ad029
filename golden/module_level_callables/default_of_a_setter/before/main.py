import argparse
import functools
import operator

import torch
from torch.utils.data import DataLoader, Dataset

class Mapped(Dataset):
    def __init__(self, by):
        self.by = by
        self.transform = None

    @property
    def transform(self):
        return self._transform

    @transform.setter
    def transform(self, value):
        self._transform = value or (lambda x: x + self.by)

    def __len__(self):
        return 6

    def __getitem__(self, i):
        return self._transform(i)


def loaders(args):
    data = Mapped(3)
    data.transform = abs
    data.transform = None
    yield DataLoader(data, batch_size=3, num_workers=args.workers,
                      multiprocessing_context=args.start_method if args.workers else None)


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--workers", type=int, default=0)
    ap.add_argument("--start-method", default="spawn")
    args = ap.parse_args()
    out = []
    for loader in loaders(args):
        out += [b.tolist() for b in loader]
    print("RESULT", out)
