import argparse
from dataclasses import dataclass

import torch
from torch.utils.data import DataLoader, Dataset


def _reduce(row):
    return row.sum()


@dataclass
class Options:
    """What to do with each row."""

    gain: float = 2.0
    reduce: object = _reduce  # one number a row


class Rows(Dataset):
    def __init__(self, options):
        self.options = options

    def __len__(self):
        return 5

    def __getitem__(self, index):
        return self.options.reduce(torch.arange(3.0) + index) * self.options.gain


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    loader = DataLoader(
        Rows(Options(gain=3.0)), batch_size=2, num_workers=args.workers, multiprocessing_context=context
    )
    print("RESULT", [batch.tolist() for batch in loader])
