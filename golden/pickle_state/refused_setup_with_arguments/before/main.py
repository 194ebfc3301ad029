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

    def setup(self, group="low", scale=1):
        self.h5 = h5py.File(self.path, "r")
        self.data = self.h5[group]
        self.scale = scale
        return self

    def __len__(self):
        return len(self.data)

    def __getitem__(self, i):
        return torch.from_numpy(self.data[i] * self.scale)


def main(args):
    with tempfile.TemporaryDirectory() as tmp:
        p = os.path.join(tmp, "v.h5")
        with h5py.File(p, "w") as f:
            f["low"] = np.arange(22).reshape(11, 2)
            f["high"] = np.arange(22).reshape(11, 2) * 100
        ds = Volumes(p).setup("high", scale=3)
        print("RESULT", [int(b.sum()) for b in loader(ds, args)])


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--workers", type=int, default=0)
    ap.add_argument("--start-method", default="spawn")
    main(ap.parse_args())
