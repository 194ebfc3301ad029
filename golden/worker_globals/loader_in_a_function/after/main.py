import argparse
import functools

import torch
from torch.utils.data import DataLoader, Dataset

TABLE = None


def load(number):
    global TABLE
    TABLE = [3 * each for each in range(number)]


class Numbers(Dataset):
    def __len__(self):
        return 6

    def __getitem__(self, i):
        return torch.tensor(TABLE[i])


def _init_worker(worker_id, value):
    global TABLE
    TABLE = value


def run(args):
    loader = DataLoader(
        Numbers(),
        batch_size=2,
        num_workers=args.workers,
        multiprocessing_context=args.start_method if args.workers else None,
        worker_init_fn=functools.partial(_init_worker, value=TABLE),
    )
    return [batch.tolist() for batch in loader]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    load(6)
    print("RESULT", run(args))
