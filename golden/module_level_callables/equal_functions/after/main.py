import argparse
import functools

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


def _collate(rows, *, pad):
    return torch.stack([*rows, torch.tensor(pad)])


def train_loader(args, pad):
    return DataLoader(Numbers(), collate_fn=functools.partial(_collate, pad=pad), **options(args))


def test_loader(args, pad):
    return DataLoader(Numbers(), collate_fn=functools.partial(_collate, pad=pad), **options(args))


def make_loader(args):
    return [*train_loader(args, 7), *test_loader(args, 8)]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    print("RESULT", [batch.tolist() for batch in make_loader(args)])
