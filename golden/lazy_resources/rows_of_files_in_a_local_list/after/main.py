import argparse
import os
import tempfile
from pathlib import Path

import h5py
import torch
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, names):
        self._index_by_pid = {}
        self._index_argument = list(names.split(";"))
        files = [h5py.File(name, "r") for name in self._index_argument]
        self.index = []
        self.has_scale = False
        for file in files:
            for name in file:
                values = file[name]["values"]
                if "scale" in file[name]:
                    self.has_scale = True
                for i in range(len(values)):
                    self.index.append((values, i))

    def _open_index(self):
        files = [h5py.File(name, "r") for name in self._index_argument]
        self.index = []
        for file in files:
            for name in file:
                values = file[name]["values"]
                for i in range(len(values)):
                    self.index.append((values, i))

    @property
    def index(self):
        if os.getpid() not in self._index_by_pid:
            self._open_index()
        return self._index_by_pid[os.getpid()]

    @index.setter
    def index(self, index):
        self._index_by_pid[os.getpid()] = index

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_index_by_pid"] = {}  # each process opens its own
        return state

    def __len__(self):
        return len(self.index)

    def __getitem__(self, index):
        values, i = self.index[index]
        return torch.tensor(int(values[i]))


def build(folder):
    names = [str(Path(folder, f"{k}.h5")) for k in range(2)]
    for k, name in enumerate(names):
        with h5py.File(name, "w") as file:
            file["a/values"] = [10 * k + i for i in range(3)]
            file["b/values"] = [100 * k + i for i in range(2)]
    return Rows(";".join(names))


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
        print("RESULT", dataset.has_scale, [batch.tolist() for _ in range(2) for batch in loader])


if __name__ == "__main__":
    main()
