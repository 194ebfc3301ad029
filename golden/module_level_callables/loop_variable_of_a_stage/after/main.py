import argparse
import functools

import torch
from torch.utils.data import DataLoader, Dataset


class Scaled(Dataset):
    def __init__(self, transform):
        self.transform = transform

    def __len__(self):
        return 6

    def __getitem__(self, index):
        return self.transform(torch.tensor(index))


def _transform(value, *, stage, factor):
    return (value + stage) * factor


def run(args):
    context = args.start_method if args.workers else None
    totals = []
    for stage, factor in enumerate((1, 3)):
        dataset = Scaled(transform=functools.partial(_transform, stage=stage, factor=factor))
        loader = DataLoader(
            dataset, batch_size=2, num_workers=args.workers, multiprocessing_context=context
        )
        print("stage", stage, "batches", len(loader))
        for step, batch in enumerate(loader):
            totals.append((stage, step, batch.tolist()))
    return totals


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    print("RESULT", run(args))
