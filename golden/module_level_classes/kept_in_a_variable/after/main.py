import argparse
import functools

import torch
from torch.utils.data import DataLoader, Dataset


def options(args):
    context = args.start_method if args.workers else None
    return {"batch_size": 2, "num_workers": args.workers, "multiprocessing_context": context}


class Scaled(Dataset):
    def __init__(self, rows, *, by):
        self.rows = list(rows) * by

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return torch.tensor(self.rows[index])


class Windows(Scaled):
    def __init__(self, rows, *, by, length):
        super().__init__(rows, by=by)
        self.length = length

    def __len__(self):
        return len(self.rows) - self.length + 1

    def __getitem__(self, index):
        return torch.tensor(self.rows[index : index + self.length])


class Shifted(Scaled):
    def __init__(self, rows, offset=1, *, by):
        super().__init__(rows, by=by)
        self.by = by
        self.offset = offset + by

    def __getitem__(self, index):
        return torch.tensor(self.rows[index] + self.offset + self.by)


def make_dataset(rows, by=3, length=0):
    cls = functools.partial(
        Windows, by=by, length=length
    ) if length else functools.partial(Scaled, by=by)
    return cls(rows), Shifted(rows, offset=2, by=by)


def make_loaders(args, length):
    first, second = make_dataset(range(6), length=length)
    return DataLoader(first, **options(args)), DataLoader(second, **options(args))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    loaders = [*make_loaders(args, 0), *make_loaders(args, 2)]
    print("RESULT", [[batch.tolist() for batch in loader] for loader in loaders])
