import argparse

import torch
from torch.utils.data import DataLoader, Dataset


class Pipeline:
    def __init__(self, *steps):
        self.steps = steps

    def __call__(self, value):
        for step in self.steps:
            value = step(value)
        return value

    def __repr__(self):
        return f"Pipeline({', '.join(getattr(step, '__name__', repr(step)) for step in self.steps)})"


class Numbers(Dataset):
    def __init__(self, transform):
        self.transform = transform

    def __len__(self):
        return 6

    def __getitem__(self, index):
        return self.transform(torch.tensor(index))


def options(args):
    context = args.start_method if args.workers else None
    return {"batch_size": 2, "num_workers": args.workers, "multiprocessing_context": context}


def make_loader(args, low, high):
    def scaled(value):
        return value * high

    return DataLoader(Numbers(Pipeline(lambda value: value + low, scaled)), **options(args))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    print("RESULT", [batch.tolist() for batch in make_loader(parser.parse_args(), 2, 5)])
