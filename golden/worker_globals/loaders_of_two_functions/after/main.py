import argparse
import functools

import torch
from torch.utils.data import DataLoader, Dataset

SCALE = 1


def scaled(number):
    return number * SCALE


class Train(Dataset):
    def __len__(self):
        return 6

    def __getitem__(self, index):
        return torch.tensor(scaled(index))


class Valid(Train):
    def __getitem__(self, index):
        return torch.tensor(scaled(index + 10))


def _init_worker(worker_id, value):
    global SCALE
    SCALE = value


def train_loader(args, method):
    return DataLoader(
        Train(),
        2,
        num_workers=args.workers,
        multiprocessing_context=method,
        worker_init_fn=functools.partial(_init_worker, value=SCALE),
    )


def valid_loader(args, method):
    return DataLoader(
        Valid(),
        3,
        num_workers=args.workers,
        multiprocessing_context=method,
        worker_init_fn=functools.partial(_init_worker, value=SCALE),
    )


def main():
    global SCALE
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--start-method", default="spawn")
    parser.add_argument("--scale", type=int, default=5)
    args = parser.parse_args()
    SCALE = args.scale
    method = args.start_method if args.workers else None
    loaders = [train_loader(args, method), valid_loader(args, method)]
    print("RESULT", [sum(int(batch.sum()) for batch in loader) for loader in loaders])


if __name__ == "__main__":
    main()
