import argparse
import functools

import torch
from torch.utils.data import DataLoader, Dataset


class Numbers(Dataset):
    def __init__(self, transform):
        self.transform = transform

    def __len__(self):
        return 6

    def __getitem__(self, index):
        return self.transform(torch.tensor(index))


def _clipped(lowest, highest, function, /, *args, **kwargs):
    """What `function` gives, within limits."""
    return function(*args, **kwargs).clamp(lowest, highest)


def clipped(lowest, highest):
    def decorate(function):
        inner = functools.update_wrapper(
            functools.partial(_clipped, lowest, highest, function), function
        )

        return inner

    return decorate


def squared(value):
    """The square."""
    return value**2


def doubled(value):
    return value * 2


def options(args):
    context = args.start_method if args.workers else None
    return {"batch_size": 2, "num_workers": args.workers, "multiprocessing_context": context}


def make_loaders(args):
    for function in (clipped(1, 9)(squared), clipped(2, 7)(doubled)):
        yield function.__name__, function.__doc__, DataLoader(Numbers(function), **options(args))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    found = [
        (name, doc, [batch.tolist() for batch in loader])
        for name, doc, loader in make_loaders(parser.parse_args())
    ]
    print("RESULT", found)
