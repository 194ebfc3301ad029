import argparse
import functools
import os
import tempfile

import h5py
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path):
        self.path = path

    @functools.cached_property
    def file(self):
        return h5py.File(self.path, "r")

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("file", None)  # each process opens its own
        return state

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return self.file["x"][index]

    def __del__(self):
        if "file" in self.__dict__ and self.file is not None:
            self.file.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows.h5")
        with h5py.File(path, "w") as file:
            file["x"] = [5, 7, 9, 11]
        rows = Rows(path)
        loader = DataLoader(
            rows,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        print("RESULT", [batch.tolist() for batch in loader])
        del loader, rows


if __name__ == "__main__":
    main()
