import argparse

import torch
from torch.utils.data import DataLoader, Dataset


def make(low=2):
    def clip(x):
        return max(x, low)

    class Items(Dataset):
        def __init__(self, n):
            self.n = clip(n)

        def __len__(self):
            return self.n

        def __getitem__(self, i):
            return clip(i)

    return Items(7)


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--workers", type=int, default=0)
    ap.add_argument("--start-method", default="spawn")
    args = ap.parse_args()
    loader = DataLoader(make(), batch_size=3, num_workers=args.workers,
                        multiprocessing_context=args.start_method if args.workers else None)
    print("RESULT", [b.tolist() for b in loader])
