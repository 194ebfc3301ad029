import argparse
import os
import tempfile

import h5py
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __init__(self, path):
        self._file_by_pid = {}
        self.path = path
        self._open_file()

    def _open_file(self):
        self.file = h5py.File(self.path, "r")

    @property
    def file(self):
        if os.getpid() not in self._file_by_pid:
            self._open_file()
        return self._file_by_pid[os.getpid()]

    @file.setter
    def file(self, file):
        self._file_by_pid[os.getpid()] = file

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_file_by_pid"] = {}  # each process opens its own
        return state

    def __len__(self):
        return len(self.file["x"])

    def __getitem__(self, index):
        return float(self.file["x"][index])


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--start-method", default="spawn")
    return parser.parse_args()


def main():
    args = arguments()
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, "rows.h5")
    with h5py.File(path, "w") as f:
        f["x"] = np.arange(8.0)
    before = len(os.listdir("/proc/self/fd"))
    dataset = Rows(path)
    opened = len(os.listdir("/proc/self/fd")) - before
    loader = DataLoader(dataset, num_workers=args.workers, multiprocessing_context=args.start_method if args.workers else None)
    total = sum(float(v.sum()) for v in loader)
    print("RESULT", total, opened)


if __name__ == "__main__":
    main()
