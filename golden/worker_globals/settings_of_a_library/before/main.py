import argparse

import torch
from torch.utils.data import DataLoader, Dataset


class Grids(Dataset):
    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, i):
        return torch.ones(3) * i / 3


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    torch.set_default_dtype(torch.float64)
    loader = DataLoader(
        Grids(6),
        batch_size=2,
        num_workers=args.workers,
        multiprocessing_context=args.start_method if args.workers else None,
    )
    print("RESULT", [(batch.sum().item(), str(batch.dtype)) for batch in loader])


if __name__ == "__main__":
    main()
