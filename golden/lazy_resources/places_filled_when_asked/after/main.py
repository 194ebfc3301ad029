import argparse
import functools
import os
import tempfile

import h5py
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Preset(Dataset):
    """Files opened when they are first asked for, number by number."""

    def __init__(self, paths):
        self.paths = paths
        self.lengths = [len(self._file(i)["x"]) for i in range(len(paths))]
        # each worker process opens its own
        for opened in self.files:
            if opened is not None:
                opened.close()
        del self.files

    @functools.cached_property
    def files(self):
        return [None] * len(self.paths)

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("files", None)  # each process opens its own
        return state

    def _file(self, i):
        if self.files[i] is None:
            self.files[i] = h5py.File(self.paths[i], "r")
        return self.files[i]

    def __len__(self):
        return sum(self.lengths)

    def __getitem__(self, i):
        for k, n in enumerate(self.lengths):
            if i < n:
                return torch.from_numpy(self._file(k)["x"][i])
            i -= n


def build(root):
    for k in range(3):
        with h5py.File(os.path.join(root, f"{k}.h5"), "w") as f:
            f["x"] = np.arange(12.0).reshape(3, 4) + k * 100
    return Preset([os.path.join(root, f"{k}.h5") for k in range(3)])


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
