import argparse

import torch
from torch.utils.data import DataLoader, Dataset


class Views(Dataset):
    def __init__(self, *functions):
        self.views = {function.__name__: function for function in functions}

    def __len__(self):
        return 6

    def __getitem__(self, index):
        return {name: view(torch.tensor(index)) for name, view in self.views.items()}


def options(args):
    context = args.start_method if args.workers else None
    return {"batch_size": 2, "num_workers": args.workers, "multiprocessing_context": context}


def make_loader(args, low, high):
    lower = lambda value: value * high + low
    return DataLoader(Views(lower), **options(args))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    loader = make_loader(parser.parse_args(), 1, 100)
    print("RESULT", [batch["<lambda>"].tolist() for batch in loader])
