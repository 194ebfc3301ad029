import argparse
import multiprocessing
from concurrent.futures import ProcessPoolExecutor

import torch
from torch.utils.data import DataLoader, Dataset


class Numbers(Dataset):
    def __init__(self, transform=None):
        self.transform = transform

    def __len__(self):
        return 6

    def __getitem__(self, index):
        value = torch.tensor(index)
        return value if self.transform is None else self.transform(value)


def options(args):
    context = args.start_method if args.workers else None
    return {"batch_size": 2, "num_workers": args.workers, "multiprocessing_context": context}


def make_loader(args, by=3):
    scale = lambda value: value * by
    if not args.workers:
        return list(map(scale, range(4)))
    context = multiprocessing.get_context(args.start_method)
    with ProcessPoolExecutor(args.workers, mp_context=context) as pool:
        return list(pool.map(scale, range(4)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    print("RESULT", [batch for batch in make_loader(args)])
