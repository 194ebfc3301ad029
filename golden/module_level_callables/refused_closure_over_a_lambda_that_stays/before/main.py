import argparse

from stages import Pipeline, mapped, select
from torch.utils.data import DataLoader


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    parser.add_argument("--least", type=int, default=3)
    args = parser.parse_args()
    tickets = iter(range(100))
    data = Pipeline(
        range(9),
        select(lambda item: item >= args.least),
        mapped(lambda item: (item, next(tickets))),
    )
    loader = DataLoader(
        data,
        batch_size=None,
        num_workers=args.workers,
        multiprocessing_context=args.start_method if args.workers else None,
    )
    print("RESULT", sorted(item for item, _ in loader))


if __name__ == "__main__":
    main()
