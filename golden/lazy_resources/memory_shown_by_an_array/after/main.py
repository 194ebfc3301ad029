import argparse
import mmap
import os
import tempfile

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Samples(Dataset):
    def __init__(self, path, width):
        self._file_by_pid = {}
        self._memory_by_pid = {}
        self._values_by_pid = {}
        self.width = width
        self.path = path
        self._open_file()

    def _open_file(self):
        self.file = open(self.path, "rb")
        self.memory = mmap.mmap(self.file.fileno(), 0, access=mmap.ACCESS_READ)
        self.values = np.frombuffer(self.memory, dtype="<i4")

    @property
    def file(self):
        if os.getpid() not in self._file_by_pid:
            self._open_file()
        return self._file_by_pid[os.getpid()]

    @file.setter
    def file(self, file):
        self._file_by_pid[os.getpid()] = file

    @property
    def memory(self):
        if os.getpid() not in self._memory_by_pid:
            self._open_file()
        return self._memory_by_pid[os.getpid()]

    @memory.setter
    def memory(self, memory):
        self._memory_by_pid[os.getpid()] = memory

    @property
    def values(self):
        if os.getpid() not in self._values_by_pid:
            self._open_file()
        return self._values_by_pid[os.getpid()]

    @values.setter
    def values(self, values):
        self._values_by_pid[os.getpid()] = values

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_file_by_pid"] = {}  # each process opens its own
        state["_memory_by_pid"] = {}
        state["_values_by_pid"] = {}
        return state

    def __len__(self):
        return len(self.values) // self.width

    def __getitem__(self, i):
        return torch.tensor(self.values[i * self.width : (i + 1) * self.width])


def build(root):
    path = os.path.join(root, "a.bin")
    np.arange(8, dtype="<i4").tofile(path)
    return Samples(path, 2)


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
        print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
