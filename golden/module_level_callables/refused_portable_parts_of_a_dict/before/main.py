"""Decides for each part where it will run, and loads."""
import argparse

import torch
from torch.utils.data import DataLoader, Dataset

from shipping import placement


class Points(Dataset):
    def __init__(self, n, jitter):
        self.values = torch.arange(n, dtype=torch.float32)
        self.jitter = jitter

    def __len__(self):
        return len(self.values)

    def __getitem__(self, i):
        return self.jitter(self.values[i], i)


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    return parser.parse_args()


def main():
    args = parse()
    amount = 0.25
    points = Points(8, lambda x, i: x + amount * (i % 2))
    parts = dict(points=points, stack=torch.stack)
    where = placement(parts)
    loader = DataLoader(points, batch_size=4, num_workers=args.workers,
                        multiprocessing_context=args.start_method if args.workers else None)
    total = sum(float(batch.sum()) for batch in loader)
    print("RESULT", where, total)


if __name__ == "__main__":
    main()
