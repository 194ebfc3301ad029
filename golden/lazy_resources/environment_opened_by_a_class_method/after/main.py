import argparse
import os
import tempfile

import lmdb
import torch
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, env, keys):
        self._env_by_pid = {os.getpid(): env}
        self._env_path = env.path()
        self._env_flags = env.flags()
        self.keys = keys

    @property
    def env(self):
        pid = os.getpid()
        if pid not in self._env_by_pid:
            # no process can open its own while it holds its parent's
            self._env_by_pid.clear()
            self._env_by_pid[pid] = lmdb.open(self._env_path, **self._env_flags)
        return self._env_by_pid[pid]

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_env_by_pid"] = {}  # each process opens its own
        return state

    @classmethod
    def from_path(cls, path):
        keys = [b"%d" % number for number in range(6)]
        return cls(lmdb.open(path, readonly=True, lock=False, readahead=False), keys)

    def __len__(self):
        return len(self.keys)

    def __getitem__(self, index):
        with self.env.begin() as transaction:
            return torch.tensor(int(transaction.get(self.keys[index])))


def fill(folder):
    with lmdb.open(folder, map_size=1 << 20) as env, env.begin(write=True) as transaction:
        for number in range(6):
            transaction.put(b"%d" % number, b"%d" % (number * number))
    return folder


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = fill(folder)
        rows = Rows.from_path(path)
        loader = DataLoader(
            rows,
            batch_size=3,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        print("RESULT", [batch.tolist() for _ in range(2) for batch in loader])


if __name__ == "__main__":
    main()
