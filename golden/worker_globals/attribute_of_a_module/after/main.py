import argparse
import functools

import settings
import torch
from torch.utils.data import DataLoader, Dataset


class Numbers(Dataset):
    def __len__(self):
        return 6

    def __getitem__(self, i):
        return torch.tensor(i * settings.factor)


def setup(factor):
    settings.factor = factor


def _init_worker(worker_id, factor):
    setup(factor)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    setup(args.workers * 0 + 3)
    loader = DataLoader(
        Numbers(),
        batch_size=2,
        num_workers=args.workers,
        multiprocessing_context=args.start_method if args.workers else None,
        worker_init_fn=functools.partial(_init_worker, factor=args.workers * 0 + 3),
    )
    print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
