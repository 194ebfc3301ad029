import argparse
import os
import tempfile

import h5py
import numpy as np
from torch.utils.data import DataLoader, Dataset


class Part(Dataset):
    """The samples of one group of a file."""

    def __init__(self, group):
        self._group_by_pid = {os.getpid(): group}
        self._group_file = group.file.filename
        self._group_mode = group.file.mode
        self._group_name = group.name
        self.count = len(group["x"])

    @property
    def group(self):
        pid = os.getpid()
        if pid not in self._group_by_pid:
            self._group_by_pid[pid] = h5py.File(self._group_file, self._group_mode)[self._group_name]
        return self._group_by_pid[pid]

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_group_by_pid"] = {}  # each process opens its own
        return state

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return float(self.group["x"][index])


def build(root):
    path = os.path.join(root, "parts.h5")
    with h5py.File(path, "w") as file:
        file["train/x"] = np.arange(5.0)
        file["test/x"] = np.zeros(3)
    file = h5py.File(path, "r")
    return Part(file["train"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        loader = DataLoader(
            build(root),
            batch_size=2,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
