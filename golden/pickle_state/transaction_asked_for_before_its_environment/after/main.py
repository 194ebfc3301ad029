import argparse
import os
import tempfile

import lmdb
import torch
from torch.utils.data import DataLoader, Dataset


class Frames(Dataset):
    def __init__(self, path):
        self.path = path
        self._env_by_pid = {}
        self._txn_by_pid = {}

    @property
    def env(self):
        if os.getpid() not in self._env_by_pid:
            # no process can open its own while it holds its parent's
            self._txn_by_pid.clear()
            self._env_by_pid.clear()
        return self._env_by_pid.get(os.getpid())

    @env.setter
    def env(self, env):
        self._env_by_pid[os.getpid()] = env

    @property
    def txn(self):
        if os.getpid() not in self._txn_by_pid:
            self._env_by_pid.clear()
            self._txn_by_pid.clear()
        return self._txn_by_pid.get(os.getpid())

    @txn.setter
    def txn(self, txn):
        self._txn_by_pid[os.getpid()] = txn

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_env_by_pid"] = {}  # each process opens its own
        state["_txn_by_pid"] = {}
        return state

    def open(self):
        if self.txn is None:
            self.env = lmdb.open(self.path, readonly=True, lock=False)
            self.txn = self.env.begin()

    def close(self):
        if self.env is not None:
            self.env.close()
            self.env = self.txn = None

    def __len__(self):
        return 3

    def __getitem__(self, index):
        self.open()
        return torch.tensor(int(self.txn.get(str(index).encode())))


def write(path, factor):
    with lmdb.open(path) as env, env.begin(write=True) as txn:
        for index in range(3):
            txn.put(str(index).encode(), str(index * factor).encode())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "day")
        write(path, 2)
        frames = Frames(path)
        first = int(frames[1])
        method = args.start_method if args.workers else None
        loader = DataLoader(frames, 2, num_workers=args.workers, multiprocessing_context=method)
        total = sum(int(batch.sum()) for batch in loader)
        print("RESULT", first, total, int(frames[2]))
        frames.close()


if __name__ == "__main__":
    main()
