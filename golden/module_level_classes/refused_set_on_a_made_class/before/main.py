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


def make_class(base):
    class Squares(base):
        def __getitem__(self, index):
            return super().__getitem__(index) ** 2 + self.offset

    return Squares


def make_loader(args):
    cls = make_class(Numbers)
    cls.offset = 10
    return DataLoader(cls(), **options(args))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    print("RESULT", [batch.tolist() for batch in make_loader(args)])
