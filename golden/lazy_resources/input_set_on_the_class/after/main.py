import argparse
import functools
import os
import tempfile

import h5py
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    root = "."

    def __init__(self, name):
        self.name = name
        self._root = self.root
        with h5py.File(os.path.join(self._root, self.name), "r") as file:
            self.keys = sorted(file)

    @functools.cached_property
    def file(self):
        return h5py.File(os.path.join(self._root, self.name), "r")

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("file", None)  # each process opens its own
        return state

    def __len__(self):
        return len(self.keys)

    def __getitem__(self, index):
        return int(self.file[self.keys[index]][0])


def build(folder):
    for part, factor in (("train", 1), ("test", 10)):
        os.makedirs(f"{folder}/{part}")
        with h5py.File(f"{folder}/{part}/a.h5", "w") as file:
            for i in range(6):
                file[str(i)] = [i * factor]
    Rows.root = f"{folder}/train"
    rows = Rows("a.h5")
    Rows.root = f"{folder}/test"
    return rows


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
