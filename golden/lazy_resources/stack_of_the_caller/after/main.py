import argparse
import contextlib
import os
import tempfile

import h5py
import numpy as np
from torch.utils.data import DataLoader, Dataset


class Frames(Dataset):
    def __init__(self, path, stack):
        self.path = path
        self._file_by_pid = {os.getpid(): stack.enter_context(h5py.File(path, "r"))}
        self.count = len(self.file["frames"])

    @property
    def file(self):
        pid = os.getpid()
        if pid not in self._file_by_pid:
            self._file_by_pid[pid] = h5py.File(self.path, "r")
        return self._file_by_pid[pid]

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_file_by_pid"] = {}  # each process opens its own
        return state

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return float(self.file["frames"][index])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as root, contextlib.ExitStack() as stack:
        path = os.path.join(root, "frames.h5")
        with h5py.File(path, "w") as file:
            file["frames"] = np.arange(5.0)
        loader = DataLoader(
            Frames(path, stack),
            batch_size=2,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
