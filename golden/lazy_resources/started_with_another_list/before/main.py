import argparse
import glob
import os
import tempfile

import h5py
import numpy as np
from torch.utils.data import DataLoader, Dataset


class Many(Dataset):
    def __init__(self, folder, key="x"):
        self.key = key
        self.sizes, self.files = [], []
        for path in sorted(glob.glob(os.path.join(folder, "*.h5"))):
            f = h5py.File(path, "r")
            self.files.append(f)
            self.sizes.append(len(f[key]))

    def __len__(self):
        return sum(self.sizes)

    def __getitem__(self, i):
        k = 0
        while i >= self.sizes[k]:
            i -= self.sizes[k]
            k += 1
        return self.files[k][self.key][i]


def prepare(folder):
    for k in range(3):
        with h5py.File(os.path.join(folder, f"{k}.h5"), "w") as f:
            f["x"] = np.arange(4.0) + 10 * k


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        dataset = Many(folder)
        loader = DataLoader(
            dataset,
            batch_size=4,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        rows = [repr(batch) for _ in range(2) for batch in loader]
    print("RESULT", rows)
