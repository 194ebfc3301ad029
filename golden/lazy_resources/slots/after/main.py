import argparse
import os
import tempfile

import h5py
from torch.utils.data import DataLoader, Dataset


class Store:
    __slots__ = ("path", "_file_by_pid")

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
        names = ("path",)  # _file_by_pid: each process opens its own
        return {name: getattr(self, name) for name in names if hasattr(self, name)}

    def __setstate__(self, state):
        for name, value in state.items():
            setattr(self, name, value)
        self._file_by_pid = {}

    def read(self, index):
        return self.file["items"][str(index)][:]


class Items(Dataset):
    def __init__(self, path):
        self.store = Store(path)

    def __len__(self):
        return 6

    def __getitem__(self, index):
        return self.store.read(index)


def make(path):
    with h5py.File(path, "w") as file:
        for i in range(6):
            file[f"items/{i}"] = [i, i * i]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/data"
        make(path)
        context = args.start_method if args.workers else None
        dataset = Items(path)
        loader = DataLoader(
            dataset, batch_size=3, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", [batch.tolist() for _ in range(2) for batch in loader])


if __name__ == "__main__":
    main()
