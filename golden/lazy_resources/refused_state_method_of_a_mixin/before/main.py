import argparse
import os
import tempfile

import h5py
import torch
from torch.utils.data import DataLoader, Dataset


class WithoutCache:
    def __getstate__(self):
        state = self.__dict__.copy()
        state["cache"] = {}
        return state


class Store(Dataset):
    def __init__(self, path):
        self.path = path
        self.file = h5py.File(self.path, "r")


class Rows(WithoutCache, Store):
    def __init__(self, path):
        super().__init__(path)
        self.cache = {}

    def __len__(self):
        return 4

    def __getitem__(self, index):
        if index not in self.cache:
            self.cache[index] = torch.tensor(self.file["x"][index])
        return self.cache[index]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows.h5")
        with h5py.File(path, "w") as out:
            out["x"] = list(range(4))
        rows = Rows(path)
        loader = DataLoader(
            rows,
            batch_size=2,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
