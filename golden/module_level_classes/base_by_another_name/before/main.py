import argparse

import torch
from torch.utils.data import DataLoader


def options(args):
    context = args.start_method if args.workers else None
    return {"batch_size": 2, "num_workers": args.workers, "multiprocessing_context": context}


def make_dataset(number):
    data = torch.utils.data
    Base = data.Dataset

    class Squares(Base):
        def __len__(self):
            return number

        def __getitem__(self, index):
            return torch.tensor(index**2)

    return Squares()


def make_loader(args):
    return DataLoader(make_dataset(6), **options(args))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    print("RESULT", [batch.tolist() for batch in make_loader(args)])
