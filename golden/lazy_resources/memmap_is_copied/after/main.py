import argparse
import functools
import tempfile

import numpy as np
from torch.utils.data import DataLoader, Dataset


class Items(Dataset):
    def __init__(self, path, width=4):
        self.width = width
        self.path = path

    @functools.cached_property
    def data(self):
        return np.memmap(self.path, dtype=np.int64, mode="r")

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("data", None)  # each process opens its own
        return state

    def __len__(self):
        return len(self.data) // self.width

    def __getitem__(self, index):
        is_mapped = self.data._mmap is not None
        return int(self.data[index * self.width]) * is_mapped


def make(path):
    np.arange(24).reshape(6, 4).tofile(path)


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
