import argparse
import os
import tempfile

import lmdb
import torch
from torch.utils.data import DataLoader, Dataset


class Frames(Dataset):
    def __init__(self, paths):
        self.paths = paths
        self._envs_by_pid = {}

    @property
    def envs(self):
        pid = os.getpid()
        if pid not in self._envs_by_pid:
            # no process can open its own while it holds its parent's
            self._envs_by_pid.clear()
            self._envs_by_pid[pid] = {}
        return self._envs_by_pid[pid]

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_envs_by_pid"] = {}  # each process opens its own
        return state

    def _env(self, number):
        if number not in self.envs:
            self.envs[number] = lmdb.open(self.paths[number], readonly=True, lock=False)
        return self.envs[number]

    def __len__(self):
        return 6

    def __getitem__(self, index):
        number, row = divmod(index, 3)
        with self._env(number).begin() as txn:
            return torch.tensor(int(txn.get(str(row).encode())))


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
        paths = [os.path.join(folder, name) for name in ("day", "night")]
        for factor, path in enumerate(paths, 2):
            write(path, factor)
        frames = Frames(paths)
        first = int(frames[1])
        method = args.start_method if args.workers else None
        loader = DataLoader(frames, 2, num_workers=args.workers, multiprocessing_context=method)
        total = sum(int(batch.sum()) for batch in loader)
        print("RESULT", first, total, int(frames[4]))


if __name__ == "__main__":
    main()
