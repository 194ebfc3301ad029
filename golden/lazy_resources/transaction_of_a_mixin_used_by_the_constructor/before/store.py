import pickle

import lmdb
import numpy as np
from torch.utils.data import Dataset


class LmdbMixin:
    lmdb_options = {"readonly": True, "lock": False, "readahead": False}

    def open_lmdb(self, path):
        self.env = lmdb.open(str(path), subdir=False, **self.lmdb_options)
        self.txn = self.env.begin(buffers=True)
        self.count = self.env.stat()["entries"] - 1  # one entry is __labels__

    def fetch(self, key):
        return pickle.loads(self.txn.get(key.encode()))


class Objects(LmdbMixin, Dataset):
    def __init__(self, path, split):
        self.split = split
        self.open_lmdb(path)
        self.labels = self.fetch("__labels__")

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        image, label = self.fetch(f"{self.split}{index}")
        return image.astype(np.float32), self.labels.index(label)

    def __exit__(self, *exc):
        self.env.close()

    def __enter__(self):
        return self
