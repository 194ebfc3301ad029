import argparse
import functools

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


class Scaled(Numbers):
    def __init__(self, *, by, **kwargs):
        super().__init__(**kwargs)
        self.by = by

    def __getitem__(self, index):
        return super().__getitem__(index) * self.by


class Shifted(Numbers):
    def __init__(self, *, offset=0, shift):
        super().__init__(lambda value: value)
        self.shift = shift
        self.transform = None
        self.offset = offset

    def __getitem__(self, index):
        return super().__getitem__(index) + self.shift + self.offset


def make_class(by, shift=None):
    if shift is None:
        return functools.partial(Scaled, by=by)

    return functools.partial(Shifted, shift=shift)


Tripled = make_class(3)


def make_loaders(args):
    shifted = make_class(1, shift=5)
    return [DataLoader(Tripled(), **options(args)), DataLoader(shifted(offset=1), **options(args))]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    print("RESULT", [[batch.tolist() for batch in each] for each in make_loaders(args)])
