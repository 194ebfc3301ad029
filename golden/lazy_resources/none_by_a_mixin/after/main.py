import argparse
import os
import tempfile

import h5py
from torch.utils.data import DataLoader, Dataset


class OpensItsFile:
    @property
    def file(self):
        return self.__dict__.setdefault("_file_by_pid", {}).get(os.getpid())

    @file.setter
    def file(self, file):
        self.__dict__.setdefault("_file_by_pid", {})[os.getpid()] = file

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("_file_by_pid", None)  # each process opens its own
        return state

    def open(self):
        if self.file is None:
            self.file = h5py.File(self.path, "r")
        return self.file


class Items(OpensItsFile, Dataset):
    def __init__(self, path):
        self.path = path
        self.keys = sorted(self.open())

    def __len__(self):
        return len(self.keys)

    def __getitem__(self, index):
        return self.open()[self.keys[index]][:]


def make(path):
    with h5py.File(path, "w") as file:
        for i in range(6):
            file[f"item_{i}"] = [i, i * i]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/data"
        make(path)
        context = args.start_method if args.workers else None
        loader = DataLoader(
            Items(path), batch_size=3, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", [batch.tolist() for _ in range(2) for batch in loader])


if __name__ == "__main__":
    main()
