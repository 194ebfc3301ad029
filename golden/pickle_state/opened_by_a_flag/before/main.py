import argparse
import os
import tempfile

import h5py
import numpy as np
from torch.utils.data import DataLoader, Dataset


class Flagged(Dataset):
    def __init__(self, path):
        self.path = path
        self.opened = False
        self.h5 = None
        self.images = None
        with h5py.File(path, "r") as tmp:
            self.length = len(tmp["images"])
        self.shape = self[0].shape

    def __len__(self):
        return self.length

    def __getitem__(self, i):
        if not self.opened:
            self.h5 = h5py.File(self.path, "r", swmr=True)
            self.images = self.h5["images"]
            self.opened = True
        return self.images[i]


def prepare(folder):
    with h5py.File(os.path.join(folder, "f.h5"), "w") as f:
        f["images"] = np.arange(12.0).reshape(6, 2)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        dataset = Flagged(os.path.join(folder, "f.h5"))
        loader = DataLoader(
            dataset,
            batch_size=4,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        rows = [repr(batch) for _ in range(2) for batch in loader] + [repr(dataset[0])]
    print("RESULT", rows)
