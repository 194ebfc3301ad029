import argparse
import contextlib
import os
import tempfile

import h5py
import numpy as np
from torch.utils.data import DataLoader, Dataset


class Frames(Dataset):
    def __init__(self, path, stack):
        self.file = stack.enter_context(h5py.File(path, "r"))
        self.count = len(self.file["frames"])

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return float(self.file["frames"][index])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as root, contextlib.ExitStack() as stack:
        path = os.path.join(root, "frames.h5")
        with h5py.File(path, "w") as file:
            file["frames"] = np.arange(5.0)
        loader = DataLoader(
            Frames(path, stack),
            batch_size=2,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
