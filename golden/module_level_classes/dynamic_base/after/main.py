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


@functools.lru_cache(maxsize=None)
def make_class(base):
    class Squares(base):
        def __getitem__(self, index):
            return super().__getitem__(index) ** 2

        def __reduce__(self):
            # pickle cannot find a local class by its name
            return _new_squares, (base,), self.__dict__

    return Squares


def _new_squares(base):
    cls = make_class(base)
    return cls.__new__(cls)


def make_loader(args):
    return DataLoader(make_class(Numbers)(), **options(args))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    print("RESULT", [batch.tolist() for batch in make_loader(args)])
