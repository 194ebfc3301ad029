import argparse

import torch
from torch.utils.data import DataLoader, Dataset, TensorDataset


class Numbers(Dataset):
    def __init__(self, numbers):
        self.numbers = numbers

    def __len__(self):
        return len(self.numbers)


def options(args):
    context = args.start_method if args.workers else None
    return {"batch_size": 2, "num_workers": args.workers, "multiprocessing_context": context}


class Scaled(Numbers):
    def __init__(self, numbers, *, by):
        super().__init__(numbers)
        self.by = by

    def __getitem__(self, index):
        return self.numbers[index] * self.by


def make_loader(args, by=3):
    return DataLoader(Scaled(range(6), by=by), **options(args))


class Shifted(TensorDataset):
    def __init__(self, *args, tensors):
        super().__init__(*args)
        self._tensors = tensors

    def __getitem__(self, index):
        return super().__getitem__(index)[0] + self._tensors


def make_shifted_loader(args, tensors=7):
    return DataLoader(Shifted(torch.arange(6), tensors=tensors), **options(args))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    for make in (make_loader, make_shifted_loader):
        print("RESULT", [batch.tolist() for batch in make(args)])
