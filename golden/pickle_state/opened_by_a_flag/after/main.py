import argparse
import os
import tempfile

import h5py
import numpy as np
from torch.utils.data import DataLoader, Dataset


class Flagged(Dataset):
    def __init__(self, path):
        self.path = path
        self.opened = False
        self._h5_by_pid = {}
        self.images = None
        with h5py.File(path, "r") as tmp:
            self.length = len(tmp["images"])
        self.shape = self[0].shape

    @property
    def h5(self):
        return self._h5_by_pid.get(os.getpid())

    @h5.setter
    def h5(self, h5):
        self._h5_by_pid[os.getpid()] = h5

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_h5_by_pid"] = {}  # each process opens its own
        state["images"] = None
        return state

    def __len__(self):
        return self.length

    def __getitem__(self, i):
        if self.h5 is None:
            self.h5 = h5py.File(self.path, "r", swmr=True)
            self.images = self.h5["images"]
            self.opened = True
        return self.images[i]


def prepare(folder):
    with h5py.File(os.path.join(folder, "f.h5"), "w") as f:
        f["images"] = np.arange(12.0).reshape(6, 2)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        dataset = Flagged(os.path.join(folder, "f.h5"))
        loader = DataLoader(
            dataset,
            batch_size=4,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        rows = [repr(batch) for _ in range(2) for batch in loader] + [repr(dataset[0])]
    print("RESULT", rows)
