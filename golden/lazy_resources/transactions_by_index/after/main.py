import argparse
import os
import tempfile

import lmdb
import torch
from torch.utils.data import DataLoader, Dataset


class Frames(Dataset):
    def __init__(self, paths):
        self._file_map_by_pid = {}
        self.file_map = {}
        self.idx_map = {}
        count = 0
        self.paths = list(paths)
        for path in self.paths:
            env = lmdb.open(path, readonly=True, lock=False)
            txn = env.begin(write=False)
            length = int(txn.get(b"len"))
            for index in range(length):
                self.file_map[count + index] = txn
                self.idx_map[count + index] = index
            count += length

    def _open_file_map(self):
        self.file_map = {}
        count = 0
        for path in self.paths:
            env = lmdb.open(path, readonly=True, lock=False)
            txn = env.begin(write=False)
            length = int(txn.get(b"len"))
            for index in range(length):
                self.file_map[count + index] = txn
            count += length

    @property
    def file_map(self):
        if os.getpid() not in self._file_map_by_pid:
            # no process can open its own while it holds its parent's
            self._file_map_by_pid.clear()
            self._open_file_map()
        return self._file_map_by_pid[os.getpid()]

    @file_map.setter
    def file_map(self, file_map):
        self._file_map_by_pid[os.getpid()] = file_map

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_file_map_by_pid"] = {}  # each process opens its own
        return state

    def __len__(self):
        return len(self.file_map)

    def __getitem__(self, index):
        value = self.file_map[index].get(str(self.idx_map[index]).encode())
        return torch.tensor(int(value))


def write(path, factor):
    with lmdb.open(path) as env, env.begin(write=True) as txn:
        txn.put(b"len", b"3")
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
