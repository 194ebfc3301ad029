import argparse
import os
import tempfile

import lmdb
import torch
from torch.utils.data import DataLoader, Dataset


class Sessions(Dataset):
    def __init__(self, path):
        self.path = path
        self._env_by_pid = {}
        self.txn = None
        self.length = 0

    @property
    def env(self):
        if os.getpid() not in self._env_by_pid:
            # no process can open its own while it holds its parent's
            self.txn = None
            self._env_by_pid.clear()
        return self._env_by_pid.get(os.getpid())

    @env.setter
    def env(self, env):
        self._env_by_pid[os.getpid()] = env

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_env_by_pid"] = {}  # each process opens its own
        state["txn"] = None
        return state

    def count(self):
        self.length = int(self.get("length"))
        return self

    def connect(self):
        self.env = lmdb.open(self.path, readonly=True, lock=False)
        self.txn = self.env.begin(buffers=True)

    def get(self, key):
        if self.env is None:
            self.connect()
        return bytes(self.txn.get(key.encode()))

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        return torch.tensor(int(self.get(str(index))))


def write(path):
    with lmdb.open(path) as env, env.begin(write=True) as txn:
        txn.put(b"length", b"6")
        for index in range(6):
            txn.put(str(index).encode(), str(index * index).encode())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "sessions")
        write(path)
        method = args.start_method if args.workers else None
        loader = DataLoader(
            Sessions(path).count(), 2, num_workers=args.workers, multiprocessing_context=method
        )
        print("RESULT", sum(int(batch.sum()) for batch in loader))


if __name__ == "__main__":
    main()
