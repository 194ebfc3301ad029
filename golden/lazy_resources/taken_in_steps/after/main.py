import argparse
import functools
import tempfile

import numpy as np
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path, limit=None, copies=1):
        count = 6 * copies
        self.path = path
        self.limit = limit
        array = self.array
        self.size = len(array)

    @functools.cached_property
    def array(self):
        shift = 1
        array = np.memmap(self.path, dtype="int32", mode="r")
        # fewer for a trial
        if self.limit is not None:
            array = array[:self.limit]
        array = array[shift:]  # the head is no data
        return array

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("array", None)  # each process opens its own
        return state

    def __len__(self):
        return self.size

    def __getitem__(self, index):
        is_mapped = self.array._mmap is not None
        return int(self.array[index]) * is_mapped


def build(folder):
    np.arange(7, dtype="int32").tofile(folder + "/a")
    return Rows(folder + "/a", limit=7)


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


if __name__ == "__main__":
    main()
