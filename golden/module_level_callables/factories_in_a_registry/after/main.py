import argparse
import functools

import torch
from torch.utils.data import DataLoader, Dataset


class Registry:
    def __init__(self):
        self.known = {}

    def register(self, name=None):
        def add(target):
            self.known[name or target.__name__] = target
            return target

        return add


TRANSFORMS = Registry()


def _apply(value, *, by):
    return value * by


@TRANSFORMS.register("scale")
def scale(by):
    return functools.partial(_apply, by=by)


@TRANSFORMS.register()
class Shift:
    def __init__(self, by):
        self.by = by

    def __call__(self, value):
        return value + self.by


class Numbers(Dataset):
    def __init__(self, steps):
        self.steps = [TRANSFORMS.known[name](by) for name, by in steps]

    def __len__(self):
        return 6

    def __getitem__(self, index):
        for step in self.steps:
            index = step(index)
        return torch.tensor(index)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    numbers = Numbers([("scale", 3), ("Shift", 1)])
    method = args.start_method if args.workers else None
    loader = DataLoader(numbers, 2, num_workers=args.workers, multiprocessing_context=method)
    print("RESULT", sum(int(batch.sum()) for batch in loader))


if __name__ == "__main__":
    main()
