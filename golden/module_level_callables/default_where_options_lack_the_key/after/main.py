import argparse
import os
from collections.abc import Callable
from dataclasses import dataclass

from torch.utils.data import DataLoader


def _collate(batch):
    return [1, *batch]


@dataclass
class Options:
    collate: Callable = _collate
    size: int = 2


def _sum(batch):
    return [sum(batch)]


def _max(batch):
    return [max(batch)]


COLLATES = {"sum": _sum, "max": _max}


def read(name):
    found = {"size": 3}
    if name:
        found["collate"] = COLLATES[name]
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    options = Options(**read(os.environ.get("COLLATE")))
    loader = DataLoader(
        range(6),
        batch_size=options.size,
        collate_fn=options.collate,
        num_workers=args.workers,
        multiprocessing_context=args.start_method if args.workers else None,
    )
    print("RESULT", list(loader))


if __name__ == "__main__":
    main()
