import argparse
import os
import tempfile

import h5py
from torch.utils.data import ConcatDataset, DataLoader, Dataset


class Stored(Dataset):
    def __init__(self, path):
        self.path = path
        self._file_by_pid = {}

    @property
    def file(self):
        return self._file_by_pid.get(os.getpid())

    @file.setter
    def file(self, file):
        self._file_by_pid[os.getpid()] = file

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_file_by_pid"] = {}  # each process opens its own
        return state

    def values(self):
        if self.file is None:
            self.file = h5py.File(self.path, "r")
        return self.file["x"]

    def __len__(self):
        return len(self.values())

    def __getitem__(self, index):
        return int(self.values()[index])


class InMemory(Stored):
    def __init__(self, numbers):
        self.numbers = numbers

    def values(self):
        return self.numbers


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    with tempfile.TemporaryDirectory() as root:
        with h5py.File(f"{root}/a.h5", "w") as out:
            out["x"] = [1, 4, 9]
        both = ConcatDataset([InMemory([7, 8]), Stored(f"{root}/a.h5")])
        loader = DataLoader(
            both, batch_size=2, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
