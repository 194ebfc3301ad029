import argparse
import itertools

from torch.utils.data import DataLoader


def export(items, workers, context):
    numbers = itertools.count(1)

    def collate(batch):
        return next(numbers), sum(batch)

    loader = DataLoader(
        items,
        batch_size=2,
        collate_fn=collate,
        num_workers=workers,
        multiprocessing_context=context,
    )
    return dict(loader)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    print("RESULT", export(range(8), args.workers, context))


if __name__ == "__main__":
    main()
