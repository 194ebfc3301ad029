import os
import pickle

import lmdb
import numpy as np
from torch.utils.data import Dataset


class LmdbMixin:
    lmdb_options = {"readonly": True, "lock": False, "readahead": False}

    def open_lmdb(self, path):
        self.path = path
        self._env_by_pid = {}
        self._txn_by_pid = {}
        self.count = self.env.stat()["entries"] - 1  # one entry is __labels__

    @property
    def env(self):
        pid = os.getpid()
        if pid not in self._env_by_pid:
            # no process can open its own while it holds its parent's
            self._txn_by_pid.clear()
            self._env_by_pid.clear()
            self._env_by_pid[pid] = lmdb.open(str(self.path), subdir=False, **self.lmdb_options)
        return self._env_by_pid[pid]

    @property
    def txn(self):
        pid = os.getpid()
        if pid not in self._txn_by_pid:
            self._txn_by_pid[pid] = self.env.begin(buffers=True)
        return self._txn_by_pid[pid]

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_env_by_pid"] = {}  # each process opens its own
        state["_txn_by_pid"] = {}
        return state

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
