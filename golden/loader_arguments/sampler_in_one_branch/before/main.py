import argparse

import torch
from torch.utils.data import DataLoader, RandomSampler


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    rows = list(range(8))
    if args.workers:
        sampler = RandomSampler(rows)
    else:
        sampler = None
    loader = DataLoader(
        rows,
        batch_size=2,
        shuffle=True,
        sampler=sampler,
        num_workers=args.workers,
        multiprocessing_context=args.start_method if args.workers else None,
    )
    print("RESULT", sum(len(batch) for batch in loader))


if __name__ == "__main__":
    torch.manual_seed(0)
    main()
