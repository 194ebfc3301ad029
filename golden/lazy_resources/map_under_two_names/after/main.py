import argparse
import os
import tempfile

import numpy as np
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.array = self.latest = np.memmap(path, dtype="int32", mode="r")[1:]

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("array", None)  # __setstate__ reopens it
        state.pop("latest", None)
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.array = np.memmap(self.path, dtype="int32", mode="r")[1:]
        self.latest = self.array

    def __len__(self):
        return len(self.array)

    def __getitem__(self, index):
        mapped = self.array._mmap is not None and self.latest is self.array
        return int(self.array[index]) + 100 * mapped


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows.bin")
        np.arange(7, dtype="int32").tofile(path)
        rows = Rows(path)
        loader = DataLoader(rows, batch_size=2, num_workers=args.workers, multiprocessing_context=context)
        print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
