import argparse
import os
import tempfile

import h5py
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Sky(Dataset):
    def __init__(self, root, count=3):
        self.count = count

        # the north first
        self._files = [h5py.File(os.path.join(root, f"north_{i}.h5"), "r") for i in range(count)]
        # and the south
        self._files += [h5py.File(os.path.join(root, f"south_{i}.h5"), "r") for i in range(2)]

        self.order = np.arange(5)[::-1]

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
