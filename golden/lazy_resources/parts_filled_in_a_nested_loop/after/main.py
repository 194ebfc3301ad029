import argparse
import os
import tempfile

import h5py
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Years(Dataset):
    def __init__(self, years):
        self._files_by_pid = {}
        self.years = list(years)
        self._open_files()

    def _open_files(self):
        self.files = [[] for _ in self.years]
        for k, days in enumerate(self.years):
            for day in days:
                self.files[k] += [h5py.File(day, "r")]

    @property
    def files(self):
        if os.getpid() not in self._files_by_pid:
            self._open_files()
        return self._files_by_pid[os.getpid()]

    @files.setter
    def files(self, files):
        self._files_by_pid[os.getpid()] = files

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_files_by_pid"] = {}  # each process opens its own
        return state

    def __len__(self):
        return 4

    def __getitem__(self, i):
        return torch.from_numpy(self.files[i // 2][i % 2]["x"][:])


def build(root):
    years = [[os.path.join(root, f"{y}-{d}.h5") for d in range(2)] for y in range(2)]
    for k, path in enumerate(path for days in years for path in days):
        with h5py.File(path, "w") as f:
            f["x"] = np.arange(4.0) + k * 100
    return Years(years)


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
        total = [batch.double().sum().item() for epoch in range(2) for batch in loader]
        print("RESULT", len(total), round(sum(total), 3), sorted(total)[:3])


if __name__ == "__main__":
    main()
