import argparse

import torch
from torch.utils.data import DataLoader, Dataset


def options(args):
    context = args.start_method if args.workers else None
    return {"batch_size": 2, "num_workers": args.workers, "multiprocessing_context": context}


def run(args, size):
    class Squares(Dataset):
        count = size + 1

        @classmethod
        def all(cls):
            return [index * index for index in range(cls.count)]

        def __len__(self):
            return self.count

        def __getitem__(self, index):
            return torch.tensor(self.all()[index])

    return [batch.tolist() for batch in DataLoader(Squares(), **options(args))]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    print("RESULT", run(parser.parse_args(), 7))
