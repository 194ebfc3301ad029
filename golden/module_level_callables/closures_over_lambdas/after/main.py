import argparse
import functools

from stages import Pipeline, mapped, pairs, select
from torch.utils.data import DataLoader


def _check(item, *, args):
    return item >= args.least


def _scale(item):
    return item * item


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    parser.add_argument("--least", type=int, default=3)
    args = parser.parse_args()
    data = Pipeline(range(9)).then(
        select(functools.partial(_check, args=args)),
        mapped(_scale),
        pairs(separator="+"),
    )
    loader = DataLoader(
        data,
        batch_size=None,
        num_workers=args.workers,
        multiprocessing_context=args.start_method if args.workers else None,
    )
    print("RESULT", sorted(loader))


if __name__ == "__main__":
    main()
