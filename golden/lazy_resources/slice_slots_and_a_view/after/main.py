import argparse
import mmap
import os
import struct
import tempfile

import numpy as np
from torch.utils.data import DataLoader, Dataset

HEADER = struct.calcsize("<4sI")


class Values:
    __slots__ = ("path", "count", "_file_by_pid", "_map_by_pid", "_array_by_pid")

    def __init__(self, path):
        self._file_by_pid = {}
        self._map_by_pid = {}
        self._array_by_pid = {}
        self.path = path
        self._file = open(path, "rb")
        magic, count = struct.unpack("<4sI", self._file.read(HEADER))
        if magic != b"VALS":
            self._file.close()
            raise ValueError(f"{path} holds no values")
        self._map = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)
        self.count = count
        self.array = np.frombuffer(self._map, dtype="<u2", count=count, offset=HEADER)

    def _open_file(self):
        self._file = open(self.path, "rb")
        self._map = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)
        self.array = np.frombuffer(self._map, dtype="<u2", count=self.count, offset=HEADER)

    @property
    def _file(self):
        if os.getpid() not in self._file_by_pid:
            self._open_file()
        return self._file_by_pid[os.getpid()]

    @_file.setter
    def _file(self, file):
        self._file_by_pid[os.getpid()] = file

    @property
    def _map(self):
        if os.getpid() not in self._map_by_pid:
            self._open_file()
        return self._map_by_pid[os.getpid()]

    @_map.setter
    def _map(self, map):
        self._map_by_pid[os.getpid()] = map

    @property
    def array(self):
        if os.getpid() not in self._array_by_pid:
            self._open_file()
        return self._array_by_pid[os.getpid()]

    @array.setter
    def array(self, array):
        self._array_by_pid[os.getpid()] = array

    def __getstate__(self):
        names = ("path", "count")  # _file_by_pid, _map_by_pid, _array_by_pid: each process opens its own
        return {name: getattr(self, name) for name in names if hasattr(self, name)}

    def __setstate__(self, state):
        for name, value in state.items():
            setattr(self, name, value)
        self._file_by_pid = {}
        self._map_by_pid = {}
        self._array_by_pid = {}

    def __len__(self):
        return len(self.array)


class Rows(Dataset):
    def __init__(self, values):
        self.values = values

    def __len__(self):
        return len(self.values)

    def __getitem__(self, index):
        return int(self.values.array[index])


def build(folder):
    with open(f"{folder}/a.bin", "wb") as file:
        file.write(struct.pack("<4sI", b"VALS", 6))
        file.write(np.arange(6, dtype="<u2").tobytes())
    return Rows(Values(f"{folder}/a.bin"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        context = args.start_method if args.workers else None
        dataset = build(folder)
        loader = DataLoader(
            dataset, batch_size=2, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", len(dataset), [batch.tolist() for _ in range(2) for batch in loader])


if __name__ == "__main__":
    main()
