import argparse
import copy
import logging
import os
import sqlite3
import tempfile
import zipfile
from pathlib import Path

import h5py
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


def loader(ds, args, **kw):
    return DataLoader(ds, batch_size=4, num_workers=args.workers,
                      multiprocessing_context=args.start_method if args.workers else None, **kw)


class Volumes(Dataset):
    def __init__(self, path):
        self.path = path
        self.h5 = None
        self.order = []

    def setup(self):
        self.h5 = h5py.File(self.path, "r")
        self.order = sorted(self.h5)

    def __getstate__(self):
        state = self.__dict__.copy()
        if state.get("h5") is not None:
            state["h5"] = True  # __setstate__ reopens it
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        if self.h5:
            self.h5 = h5py.File(self.path, "r")

    def __len__(self):
        return len(self.order)

    def __getitem__(self, i):
        return torch.from_numpy(self.h5[self.order[i]][:])


def main(args):
    with tempfile.TemporaryDirectory() as tmp:
        p = os.path.join(tmp, "v.h5")
        with h5py.File(p, "w") as f:
            for i in range(12):
                f[f"vol{i:02d}"] = np.arange(4) * i
        ds = Volumes(p)
        ds.setup()
        ds.order = [k for k in ds.order if not k.endswith("3")][::-1]
        print("RESULT", [int(b.sum()) * (n + 1) for n, b in enumerate(loader(ds, args))])


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--workers", type=int, default=0)
    ap.add_argument("--start-method", default="spawn")
    main(ap.parse_args())
