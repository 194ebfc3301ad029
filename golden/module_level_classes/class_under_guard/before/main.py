import argparse

import torch
from torch.utils.data import DataLoader, Dataset


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    factor = 3

    class Scaled(Dataset):
        """Numbers times a factor."""

        def __init__(self):
            self.factor = factor

        def __len__(self):
            return 6

        def __getitem__(self, i):
            return torch.tensor(i * self.factor)

    loader = DataLoader(
        Scaled(),
        batch_size=2,
        num_workers=args.workers,
        multiprocessing_context=args.start_method if args.workers else None,
    )
    print("RESULT", [batch.tolist() for batch in loader])
