import argparse
import functools
import tempfile
from typing import Optional

import h5py
import torch
from torch.utils.data import DataLoader, Dataset


class Items(Dataset):
    count = 6

    def __init__(self, path):
        self.path = path
        if path is not None:
            with h5py.File(self.path, "r") as file:
                self.count = len(file["items"])

    @functools.cached_property
    def file(self) -> Optional[h5py.File]:
        if self.path is not None:
            return h5py.File(self.path, "r")
        return None

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("file", None)  # each process opens its own
        return state

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        if self.file is None:
            return torch.tensor([index, 0])
        return self.file["items"][str(index)][:]


def make(path):
    with h5py.File(path, "w") as file:
        for i in range(6):
            file[f"items/{i}"] = [i, i * i]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/data"
        make(path)
        context = args.start_method if args.workers else None
        datasets = [Items(None), Items(path)]
        loaders = [
            DataLoader(
                dataset, batch_size=3, num_workers=args.workers, multiprocessing_context=context
            )
            for dataset in datasets
        ]
        print("RESULT", [batch.tolist() for loader in loaders for batch in loader])


if __name__ == "__main__":
    main()
