import argparse
import functools
import os
import tempfile

import h5py
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


def _load(*, path, notes):
    notes.append(path)
    return open(path, "rb")


def reader(path, notes):
    return functools.partial(_load, path=path, notes=notes)


class Rows(Dataset):
    def __init__(self, path):
        self.notes = []
        self.load = reader(path, self.notes)
        self._file_by_pid = {os.getpid(): self.load()}

    @property
    def file(self):
        pid = os.getpid()
        if pid not in self._file_by_pid:
            self._file_by_pid[pid] = self.load()
        return self._file_by_pid[pid]

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_file_by_pid"] = {}  # each process opens its own
        return state

    def __len__(self):
        return 4

    def __getitem__(self, index):
        self.file.seek(index)
        return float(self.file.read(1)[0])


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--start-method", default="spawn")
    return parser.parse_args()


def main():
    args = arguments()
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, "rows.bin")
    with open(path, "wb") as f:
        f.write(bytes(range(8)))
    dataset = Rows(path)
    loader = DataLoader(dataset, num_workers=args.workers, multiprocessing_context=args.start_method if args.workers else None)
    total = sum(float(v.sum()) for v in loader)
    print("RESULT", total, len(dataset.notes))


if __name__ == "__main__":
    main()
