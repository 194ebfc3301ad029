import argparse
import os
import tempfile

import h5py
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Stored:
    """Gives a dataset the file of its split."""

    def open_store(self):
        path = os.path.join(self.options["root"], self.options["split"] + ".h5")
        self.store = h5py.File(path, "r")
        self.names = sorted(self.store)

    def close_store(self):
        if self.store is not None:
            self.store.close()
            self.store = None


class Volumes(Dataset):
    def __init__(self, options):
        self.options = options
        self.prepare()

    def prepare(self):
        pass


class Scans(Stored, Volumes):
    def prepare(self):
        self.open_store()

    def __len__(self):
        return len(self.names)

    def __getitem__(self, index):
        return torch.from_numpy(self.store[self.names[index]][:]).sum()


def build(root):
    for start, split in enumerate(("train", "valid")):
        with h5py.File(os.path.join(root, split + ".h5"), "w") as f:
            for scan in range(4):
                f[f"scan{scan}"] = np.arange(3.0) + scan + 10 * start
    options = {"root": root, "split": "train"}
    train = Scans(options)
    options["split"] = "valid"
    return train, Scans(options)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        options = {"num_workers": args.workers}
        if args.workers:
            options["multiprocessing_context"] = args.start_method
        found = []
        for dataset in build(root):
            loader = DataLoader(dataset, batch_size=2, **options)
            found += [batch.tolist() for _ in range(2) for batch in loader]
            dataset.close_store()
        print("RESULT", found)


if __name__ == "__main__":
    main()
