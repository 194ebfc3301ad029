import argparse
import functools
import glob
import os
import tempfile

import h5py
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Shards(Dataset):
    def __init__(self, folder, key="x"):
        self.key = key
        self.paths = []
        self.index = []
        for number, name in enumerate(sorted(glob.glob(os.path.join(folder, "*.h5")))):
            f = h5py.File(name, "r")
            self.paths.append(name)
            for row in range(len(f[key])):
                self.index.append((number, row))
            f.close()

    @functools.cached_property
    def files(self):
        return [h5py.File(path, "r") for path in self.paths]

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("files", None)  # each process opens its own
        return state

    def __len__(self):
        return len(self.index)

    def __getitem__(self, i):
        number, row = self.index[i]
        return torch.from_numpy(self.files[number][self.key][row])


def build(root):
    for k in range(3):
        with h5py.File(os.path.join(root, f"{k}.h5"), "w") as f:
            f["x"] = np.arange(12.0).reshape(3, 4) + k * 100
    return Shards(root)


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
