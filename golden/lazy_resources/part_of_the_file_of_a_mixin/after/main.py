import argparse
import functools
import os
import tempfile

import h5py
from torch.utils.data import DataLoader, Dataset


class Stored:
    def open_file(self, path, **options):
        self.path = path
        self.options = options
        self._file_by_pid: dict[int, h5py.File] = {}
        self._x_by_pid = {}

    @property
    def file(self) -> h5py.File:
        pid = os.getpid()
        if pid not in self._file_by_pid:
            self._file_by_pid[pid] = h5py.File(self.path, "r", **self.options)
        return self._file_by_pid[pid]

    @property
    def x(self):
        pid = os.getpid()
        if pid not in self._x_by_pid:
            self._x_by_pid[pid] = self.file["x"]
        return self._x_by_pid[pid]

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_file_by_pid"] = {}  # each process opens its own
        state["_x_by_pid"] = {}
        return state

    def close(self):
        if self._file_by_pid.get(os.getpid()):
            self.file.close()


class Rows(Stored, Dataset):
    def __init__(self, path):
        self.open_file(path, rdcc_nbytes=1 << 16)
        self.indices = list(range(len(self.x)))

    def __len__(self):
        return len(self.indices)

    def __getitem__(self, index):
        return int(self.x[self.indices[index]])


class Marked(Rows):
    def __init__(self, path, least):
        super().__init__(path)
        marks = self.file["marks"]
        self.indices = [each for each in self.indices if marks[each] >= least]

    @functools.cached_property
    def marks(self):
        return self.file["marks"]

    def __getstate__(self):
        state = dict(super().__getstate__())
        state.pop("marks", None)  # each process opens its own
        return state

    def __getitem__(self, index):
        return super().__getitem__(index) * int(self.marks[self.indices[index]])


def build(folder):
    with h5py.File(f"{folder}/a", "w") as file:
        file["x"] = [i * i for i in range(6)]
        file["marks"] = [i % 3 for i in range(6)]
    return Marked(f"{folder}/a", least=1)


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
        dataset.close()


if __name__ == "__main__":
    main()
