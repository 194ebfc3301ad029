import argparse
import os
import tempfile
from concurrent.futures import ThreadPoolExecutor

import h5py
from torch.utils.data import DataLoader, Dataset


class Volumes(Dataset):
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

    def __len__(self):
        return 6

    def __getitem__(self, index):
        return int(self.file["x"][index])


def largest(dataset):
    with ThreadPoolExecutor(2) as pool:
        return max(pool.map(dataset.__getitem__, range(len(dataset))))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    with tempfile.TemporaryDirectory() as root:
        path = f"{root}/a.h5"
        with h5py.File(path, "w") as out:
            out["x"] = [n * n for n in range(6)]
        dataset = Volumes(path)
        top = largest(dataset)
        loader = DataLoader(
            dataset, batch_size=2, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", top, [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
