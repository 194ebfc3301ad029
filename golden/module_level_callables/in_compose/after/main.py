import argparse

import torch
from torch.utils.data import DataLoader, Dataset


class Numbers(Dataset):
    def __init__(self, transform=None):
        self.transform = transform

    def __len__(self):
        return 6

    def __getitem__(self, index):
        value = torch.tensor(index)
        return value if self.transform is None else self.transform(value)


def options(args):
    context = args.start_method if args.workers else None
    return {"batch_size": 2, "num_workers": args.workers, "multiprocessing_context": context}


class Compose:
    def __init__(self, steps):
        self.steps = steps

    def __call__(self, value):
        for step in self.steps:
            value = step(value)
        return value


def _clamp(value):
    return value.clamp(min=-3)


def make_loader(args):
    transform = Compose([torch.neg, _clamp])
    return DataLoader(Numbers(transform), **options(args))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    print("RESULT", [batch.tolist() for batch in make_loader(args)])
