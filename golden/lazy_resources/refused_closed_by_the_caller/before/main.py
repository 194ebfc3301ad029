from contextlib import ExitStack, closing
import argparse
import os
import tempfile

import h5py
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __init__(self, path):
        self.file = h5py.File(path, "r")

    def __len__(self):
        return 8

    def __getitem__(self, index):
        try:
            return float(self.file["x"][index])
        except (ValueError, KeyError):
            return -1.0


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--start-method", default="spawn")
    return parser.parse_args()


def main():
    args = arguments()
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, "rows.h5")
    with h5py.File(path, "w") as f:
        f["x"] = np.arange(8.0)
    dataset = Rows(path)
    with ExitStack() as stack:
        stack.callback(dataset.file.close)
        first = dataset[1]
    loader = DataLoader(dataset, num_workers=args.workers, multiprocessing_context=args.start_method if args.workers else None)
    total = sum(float(v.sum()) for v in loader)
    print("RESULT", total, first)


if __name__ == "__main__":
    main()
