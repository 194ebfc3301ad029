import argparse

import torch
from torch.utils.data import DataLoader, Dataset


def options(args):
    context = args.start_method if args.workers else None
    return {"batch_size": 2, "num_workers": args.workers, "multiprocessing_context": context}


class Squares(Dataset):
    def __init__(self, size):
        super().__init__()
        self.COUNT = size

    def __len__(self):
        return self.COUNT

    def __getitem__(self, index):
        return torch.tensor(index * index % self.COUNT)


def run(args, size):
    squares = Squares(size)
    batches = [batch.tolist() for batch in DataLoader(squares, **options(args))]
    return squares.COUNT, batches


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    print("RESULT", run(parser.parse_args(), 7))
