import argparse

import torch
from torch.utils.data import DataLoader, Dataset


def make(low=2, high=9):
    def clip(x):
        """Clip a value."""
        return min(max(x, low), high)

    def steps(n):
        # as often as needed
        return n if n <= high else steps(n - high)

    class Items(Dataset):
        def __len__(self):
            return 12

        def __getitem__(self, i):
            return clip(steps(i * 3)) + sum(map(clip, [i, 1]))

    return Items()


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--workers", type=int, default=0)
    ap.add_argument("--start-method", default="spawn")
    args = ap.parse_args()
    loader = DataLoader(make(), batch_size=3, num_workers=args.workers,
                        multiprocessing_context=args.start_method if args.workers else None)
    print("RESULT", [b.tolist() for b in loader])
