import argparse
import os
import tempfile

import h5py
import numpy as np
from torch.utils.data import DataLoader, Dataset


class Part(Dataset):
    """The samples of one group of a file."""

    def __init__(self, group):
        self.group = group
        self.count = len(group["x"])

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return float(self.group["x"][index])


def build(root):
    path = os.path.join(root, "parts.h5")
    with h5py.File(path, "w") as file:
        file["train/x"] = np.arange(5.0)
        file["test/x"] = np.zeros(3)
    file = h5py.File(path, "r")
    return Part(file["train"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        loader = DataLoader(
            build(root),
            batch_size=2,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
