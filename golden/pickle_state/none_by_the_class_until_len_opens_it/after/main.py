import argparse
import os
import tempfile
from typing import Optional

import h5py
from torch.utils.data import DataLoader, Dataset


class Items(Dataset):
    def __init__(self, path: str) -> None:
        self._file_by_pid: dict[int, Optional[h5py.File]] = {}
        self.path = path

    @property
    def file(self) -> Optional[h5py.File]:
        return self._file_by_pid.get(os.getpid())

    @file.setter
    def file(self, file: Optional[h5py.File]) -> None:
        self._file_by_pid[os.getpid()] = file

    def __getstate__(self) -> dict[str, object]:
        state = self.__dict__.copy()
        state["_file_by_pid"] = {}  # each process opens its own
        return state

    def open(self) -> h5py.File:
        if self.file is None:
            self.file = h5py.File(self.path, "r")
        return self.file

    def __len__(self) -> int:
        return len(self.open())

    def __getitem__(self, index: int):
        return self.open()[f"item_{index}"][:]


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
