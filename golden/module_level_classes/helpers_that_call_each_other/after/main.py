import argparse

import torch
from torch.utils.data import DataLoader, Dataset


class Items(Dataset):
    def __init__(self, low, high):
        super().__init__()
        self.low = low
        self.high = high

    def __len__(self):
        return 12

    def __getitem__(self, i):
        return self._clip(self._steps(i * 3)) + sum(map(self._clip, [i, 1]))

    def _clip(self, x):
        """Clip a value."""
        return min(max(x, self.low), self.high)

    def _steps(self, n):
        # as often as needed
        return n if n <= self.high else self._steps(n - self.high)


def make(low=2, high=9):
    return Items(low, high)


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--workers", type=int, default=0)
    ap.add_argument("--start-method", default="spawn")
    args = ap.parse_args()
    loader = DataLoader(make(), batch_size=3, num_workers=args.workers,
                        multiprocessing_context=args.start_method if args.workers else None)
    print("RESULT", [b.tolist() for b in loader])
