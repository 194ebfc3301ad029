import argparse
from collections import namedtuple

from torch.utils.data import DataLoader

Pairs = Batch = namedtuple("Batch", "first second")


def join(rows):
    return Pairs(rows, [row * 2 for row in rows])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    options = {"batch_size": 2, "num_workers": args.workers, "collate_fn": join}
    if args.workers:
        options |= {"multiprocessing_context": args.start_method, "timeout": 15}
    loader = DataLoader([1, 2, 3, 4], **options)
    print("RESULT", [(batch.first, batch.second) for batch in loader])


if __name__ == "__main__":
    main()
