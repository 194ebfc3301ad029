import argparse

import torch
from torch.utils.data import DataLoader, Dataset


def options(args):
    context = args.start_method if args.workers else None
    return {"batch_size": 2, "num_workers": args.workers, "multiprocessing_context": context}


def make_dataset(rows, by=3, length=0):
    class Scaled(Dataset):
        def __init__(self, rows):
            self.rows = list(rows) * by

        def __len__(self):
            return len(self.rows)

        def __getitem__(self, index):
            return torch.tensor(self.rows[index])

    class Windows(Scaled):
        def __len__(self):
            return len(self.rows) - length + 1

        def __getitem__(self, index):
            return torch.tensor(self.rows[index : index + length])

    class Shifted(Scaled):
        def __init__(self, rows, offset=1):
            super().__init__(rows)
            self.offset = offset + by

        def __getitem__(self, index):
            return torch.tensor(self.rows[index] + self.offset + by)

    cls = Windows if length else Scaled
    return cls(rows), Shifted(rows, offset=2)


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
