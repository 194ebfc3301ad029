import argparse
import functools
import os
import tempfile

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

try:
    import h5py
except ImportError:
    h5py = None


class Maybe(Dataset):
    def __init__(self, path, labels=None):
        assert h5py is not None
        self.path = path
        self._labels_path = labels
        with h5py.File(self.path, "r") as file:
            self._length = len(file["x"])

    @functools.cached_property
    def images(self):
        return h5py.File(self.path, "r")["x"]

    @functools.cached_property
    def labels(self):
        try:
            return h5py.File(self._labels_path, "r")["y"]
        except (OSError, TypeError):
            return None

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("images", None)  # each process opens its own
        state.pop("labels", None)
        return state

    def __len__(self):
        return self._length

    def __getitem__(self, i):
        x = torch.from_numpy(self.images[i])
        if self.labels is None:
            return x
        return x + self.labels[i]


def build(root):
    path = os.path.join(root, "a.h5")
    with h5py.File(path, "w") as f:
        f["x"] = np.arange(32.0).reshape(8, 4)
        f["y"] = np.arange(8.0)
    return Maybe(path, path)


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
