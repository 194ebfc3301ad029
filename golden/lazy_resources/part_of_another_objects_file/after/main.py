import argparse
import functools
import os
import tempfile

import h5py
from torch.utils.data import DataLoader, Dataset


class Volume:
    def __init__(self, path):
        self.path = path
        self._file_by_pid = {}

    @property
    def file(self):
        pid = os.getpid()
        if pid not in self._file_by_pid:
            self._file_by_pid[pid] = h5py.File(self.path, "r")
        return self._file_by_pid[pid]

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_file_by_pid"] = {}  # each process opens its own
        return state


class Slices(Dataset):
    def __init__(self, path, scale):
        self.scale = scale
        self.volume = Volume(path)
        self.length = len(self.volume.file["values"])

    @functools.cached_property
    def values(self):
        return self.volume.file["values"]

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("values", None)  # each process opens its own
        return state

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        return int(self.values[index]) * self.scale


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        with h5py.File(folder + "/a.h5", "w") as out:
            out["values"] = [index * index for index in range(6)]
        dataset = Slices(folder + "/a.h5", 3)
        context = args.start_method if args.workers else None
        loader = DataLoader(
            dataset, batch_size=2, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", len(dataset), [batch.tolist() for _ in range(2) for batch in loader])


if __name__ == "__main__":
    main()
