import argparse
import functools
import os
import tempfile

import h5py
import numpy as np
from torch.utils.data import DataLoader, Dataset


class Signals(Dataset):
    def __init__(self, filename, keys=("ecg", "ppg")):
        self.filename = filename
        self.keys = keys
        with h5py.File(self.filename, "r") as f:
            self.length = len(f[keys[0]])

    @functools.cached_property
    def _file(self):
        return h5py.File(self.filename, "r")

    @functools.cached_property
    def columns(self):
        columns = {}
        for key in self.keys:
            columns[key] = self._file[key]
        return columns

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("_file", None)  # each process opens its own
        state.pop("columns", None)
        return state

    def __len__(self):
        return self.length

    def __getitem__(self, i):
        return {key: column[i] for key, column in self.columns.items()}


def prepare(folder):
    with h5py.File(os.path.join(folder, "s.h5"), "w") as f:
        f["ecg"] = np.arange(10.0)
        f["ppg"] = np.arange(10.0) + 0.5


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        dataset = Signals(os.path.join(folder, "s.h5"))
        loader = DataLoader(
            dataset,
            batch_size=4,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        rows = [repr(batch) for _ in range(2) for batch in loader]
    print("RESULT", rows)
