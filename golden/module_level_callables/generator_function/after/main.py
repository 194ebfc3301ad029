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


class Stream(torch.utils.data.IterableDataset):
    def __init__(self, make):
        self.make = make

    def __iter__(self):
        info = torch.utils.data.get_worker_info()
        return iter([value for value in self.make() if info is None or info.id == 0])


def _stream(*, shards):
    for shard in shards:
        yield shard


def make_loader(args, shards=(3, 1, 2)):
    return DataLoader(Stream(functools.partial(_stream, shards=shards)), **options(args))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    print("RESULT", [batch.tolist() for batch in make_loader(args)])
