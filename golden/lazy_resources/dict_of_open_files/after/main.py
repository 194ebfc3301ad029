import argparse
import os
import tempfile

import h5py
from torch.utils.data import DataLoader, Dataset


class Items(Dataset):
    def __init__(self, paths):
        self.paths = paths
        self._files_by_pid = {}

    @property
    def files(self):
        pid = os.getpid()
        if pid not in self._files_by_pid:
            self._files_by_pid[pid] = {}
        return self._files_by_pid[pid]

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_files_by_pid"] = {}  # each process opens its own
        return state

    def file(self, number):
        if number not in self.files:
            self.files[number] = h5py.File(self.paths[number], "r")
        return self.files[number]

    def __len__(self):
        return len(self.file(0)["items"])

    def __getitem__(self, index):
        return self.file(index % 2)["items"][str(index)][:]


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
        dataset = Items([path, path])
        loader = DataLoader(
            dataset, batch_size=3, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", [batch.tolist() for _ in range(2) for batch in loader])


if __name__ == "__main__":
    main()
