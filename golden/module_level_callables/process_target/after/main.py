import argparse
import functools
import queue

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


def _work(rank, box, *, steps):
    for step in range(steps):
        box.put(rank * 10 + step)


def make_loader(args):
    steps = 3

    work = functools.partial(_work, steps=steps)

    if not args.workers:
        box = queue.Queue()
        work(0, box)
    else:
        context = torch.multiprocessing.get_context(args.start_method)
        box = context.Queue()
        process = context.Process(target=work, args=(0, box))
        process.start()
    return sorted(box.get(timeout=60) for _ in range(steps))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    print("RESULT", [batch for batch in make_loader(args)])
