import argparse
import functools

import settings
import torch
from torch.utils.data import DataLoader, Dataset


class Numbers(Dataset):
    def __len__(self):
        return 6

    def __getitem__(self, i):
        return torch.tensor(i * settings.get("factor"))


def seed_worker(worker_id):
    torch.manual_seed(worker_id)


def _init_worker(worker_id, factor):
    settings.configure(factor=factor)
    seed_worker(worker_id)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    settings.configure(factor=args.workers * 0 + 3)
    loader = DataLoader(
        Numbers(),
        batch_size=2,
        worker_init_fn=functools.partial(_init_worker, factor=args.workers * 0 + 3),
        num_workers=args.workers,
        multiprocessing_context=args.start_method if args.workers else None,
    )
    print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
