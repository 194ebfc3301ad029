import argparse
import functools
import os
import tempfile

import h5py
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Grouped(Dataset):
    """Reads one split of an HDF5 file."""

    def __init__(self, filename, split="train"):
        super().__init__()
        self.filename = filename
        self.split = split
        self.n, self.width = self.images.shape
        # each worker process opens its own
        del self.images
        self._file.close()
        del self._file

    @functools.cached_property
    def _file(self):
        return h5py.File(self.filename, "r")

    @functools.cached_property
    def images(self):
        g = self._file[self.split]
        return g["x"]

    @functools.cached_property
    def labels(self):
        g = self._file[self.split]
        return g["y"]

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("_file", None)  # each process opens its own
        state.pop("images", None)
        state.pop("labels", None)
        return state

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        return torch.from_numpy(self.images[i]) / self.width + float(self.labels[i])


def build(root):
    path = os.path.join(root, "d.h5")
    with h5py.File(path, "w") as f:
        f["train/x"] = np.arange(32.0).reshape(8, 4)
        f["train/y"] = np.arange(8)
    return Grouped(path)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        dataset = build(root)
        options = {"num_workers": args.workers}
        if args.workers:
            options["multiprocessing_context"] = args.start_method
        loader = DataLoader(dataset, batch_size=2, **options)
        total = []
        for epoch in range(2):
            for batch in loader:
                total.append(batch.double().sum().item())
        print("RESULT", len(total), round(sum(total), 3), sorted(total)[:3])


if __name__ == "__main__":
    main()
