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


def make_loader(args, by=3):
    class Scaled(Numbers):
        def __getitem__(self, index):
            return self.numbers[index] * by

    return DataLoader(Scaled(range(6)), **options(args))


def make_shifted_loader(args, tensors=7):
    class Shifted(TensorDataset):
        def __getitem__(self, index):
            return super().__getitem__(index)[0] + tensors

    return DataLoader(Shifted(torch.arange(6)), **options(args))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    for make in (make_loader, make_shifted_loader):
        print("RESULT", [batch.tolist() for batch in make(args)])
