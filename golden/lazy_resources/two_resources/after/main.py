import argparse
import functools
import sqlite3
import tempfile

import h5py
from torch.utils.data import DataLoader, Dataset


class Items(Dataset):
    def __init__(self, path, table):
        self.path = path
        self.table = table

    @functools.cached_property
    def file(self):
        return h5py.File(self.path, "r")

    @functools.cached_property
    def connection(self):
        return sqlite3.connect(self.table)

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("file", None)  # each process opens its own
        state.pop("connection", None)
        return state

    def __len__(self):
        return 6

    def __getitem__(self, index):
        (twice,) = self.connection.execute("SELECT ? * 2", (index,)).fetchone()
        return self.file["items"][str(index)][:] + twice


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
        dataset = Items(path, folder + "/table")
        loader = DataLoader(
            dataset, batch_size=3, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", [batch.tolist() for _ in range(2) for batch in loader])


if __name__ == "__main__":
    main()
