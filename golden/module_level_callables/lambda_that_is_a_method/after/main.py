"""A lambda in a class body is sent as a method: the worker asks the object for `<lambda>`."""

import argparse

import torch
from torch.utils.data import DataLoader, Dataset


class Lengths(Dataset):
    """Sequences of several lengths."""

    longest = 3

    # heirs replace it
    def collate(self, rows):
        return torch.stack([self.padded(row) for row in rows])

    def __len__(self):
        return 6

    def __getitem__(self, index):
        return torch.ones(index % 4)

    def padded(self, row):
        return torch.cat([row, torch.zeros(self.longest)])[: self.longest]


class Sums(Lengths):
    def collate(self, rows):
        return torch.stack([row.sum() for row in rows])


def total(dataset, workers, method):
    loader = DataLoader(
        dataset,
        batch_size=2,
        num_workers=workers,
        collate_fn=dataset.collate,
        multiprocessing_context=method if workers else None,
    )
    return sum(batch.sum().item() for batch in loader)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    sums = [total(each, args.workers, args.start_method) for each in (Lengths(), Sums())]
    print("RESULT", sums)
