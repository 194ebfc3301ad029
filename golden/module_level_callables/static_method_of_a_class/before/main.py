import argparse

import torch
from torch.utils.data import DataLoader, Dataset


class Counts(Dataset):
    def __len__(self):
        return 6

    def __getitem__(self, index):
        return index * 1.5

    @staticmethod
    def collate(batch, as_integers=False):
        values = torch.tensor(batch)
        return values.int() if as_integers else values


class Loaders:
    def __init__(self, workers, start_method):
        self.workers = workers
        self.context = start_method if workers else None

    def make(self, as_integers):
        return DataLoader(
            Counts(),
            batch_size=2,
            num_workers=self.workers,
            multiprocessing_context=self.context,
            collate_fn=lambda batch: Counts.collate(batch, as_integers=as_integers),
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    loader = Loaders(args.workers, args.start_method).make(as_integers=True)
    print("RESULT", [batch.tolist() for batch in loader])
