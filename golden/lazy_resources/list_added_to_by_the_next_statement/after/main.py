import argparse
import functools
import os
import tempfile

import h5py
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Sky(Dataset):
    def __init__(self, root, count=3):
        self.count = count

        self.root = root

        self.order = np.arange(5)[::-1]

    @functools.cached_property
    def _files(self):
        # the north first
        files = [h5py.File(os.path.join(self.root, f"north_{i}.h5"), "r") for i in range(self.count)]
        # and the south
        files += [h5py.File(os.path.join(self.root, f"south_{i}.h5"), "r") for i in range(2)]
        return files

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("_files", None)  # each process opens its own
        return state

    def __len__(self):
        return len(self.order)

    def __getitem__(self, index):
        return torch.from_numpy(self._files[self.order[index]]["x"][:])


def build(root):
    for number, name in enumerate(["north_0", "north_1", "north_2", "south_0", "south_1"]):
        with h5py.File(os.path.join(root, f"{name}.h5"), "w") as f:
            f["x"] = np.arange(3.0) + number * 10
    return Sky(root)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        dataset = build(root)
        options = {"num_workers": args.workers}
        if args.workers:
            options["multiprocessing_context"] = args.start_method
        loader = DataLoader(dataset, batch_size=2, **options)
        print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
