import argparse
import functools
from collections import defaultdict

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


def _default_ids(*, unknown):
    return unknown


class Vocabulary(Numbers):
    def __init__(self, words):
        super().__init__()
        unknown = len(words)
        self.ids = defaultdict(functools.partial(_default_ids, unknown=unknown))
        self.ids.update({word: index for index, word in enumerate(words)})

    def __getitem__(self, index):
        return torch.tensor(self.ids["abcdef"[index]])


def make_loader(args):
    return DataLoader(Vocabulary(["b", "d"]), **options(args))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    print("RESULT", [batch.tolist() for batch in make_loader(args)])
