import argparse
import functools

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset


class Signals(Dataset):
    def __init__(self, transform):
        self.transform = transform

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return self.transform((torch.arange(8.0) * (index - 2)).reshape(1, 8))


def _transform(x, *, width):
    return F.max_pool1d(x, kernel_size=width)


def pooled(width):
    return Signals(functools.partial(_transform, width=width))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    loader = DataLoader(
        pooled(4), batch_size=2, num_workers=args.workers, multiprocessing_context=context
    )
    print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
