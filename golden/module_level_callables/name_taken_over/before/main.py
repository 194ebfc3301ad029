import argparse
from functools import partial

import torch
from torch.utils.data import DataLoader, Dataset


class Scale:
    """Scales by `factor`."""

    def __init__(self, factor=2):
        self.factor = factor

    def __call__(self, row):
        return row * self.factor


class Twice(Scale):
    def __call__(self, row):
        return super().__call__(super().__call__(row))


# the one that all use
Scale = Scale()


def collate(rows, pad):
    return torch.stack(rows) + pad


collate = partial(collate, pad=0.5)


class Rows(Dataset):
    def __init__(self, steps):
        self.steps = steps

    def __len__(self):
        return 5

    def __getitem__(self, index):
        row = torch.arange(3.0) + index
        for step in self.steps:
            row = step(row)
        return row


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    loader = DataLoader(
        Rows([Scale, Twice(3)]), batch_size=2, num_workers=args.workers, multiprocessing_context=context, collate_fn=collate
    )
    print("RESULT", [batch.tolist() for batch in loader])
