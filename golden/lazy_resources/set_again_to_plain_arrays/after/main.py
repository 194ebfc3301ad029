import argparse
import functools
import os
import tempfile

import h5py
import numpy as np
from torch.utils.data import DataLoader, Dataset


class Faces(Dataset):
    def __init__(self, root, split="Training", transform=None):
        self.transform = transform
        self.split = split  # training, public or private
        self.root = root
        with h5py.File(os.path.join(self.root, "data.h5"), "r", driver="core") as data:
            # now load the picked numpy arrays
            if self.split == "Training":
                self.train_data = data["Training_pixel"]
                data["Training_label"]  # raises here if it is missing
                self.train_data = np.asarray(self.train_data)
                self.train_data = self.train_data.reshape((8, 2, 2))
            elif self.split == "PublicTest":
                self.public_data = data["Public_pixel"]
                data["Public_label"]
                self.public_data = np.asarray(self.public_data)

    @functools.cached_property
    def data(self):
        return h5py.File(os.path.join(self.root, "data.h5"), "r", driver="core")

    @functools.cached_property
    def train_labels(self):
        return self.data["Training_label"]

    @functools.cached_property
    def public_labels(self):
        return self.data["Public_label"]

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("data", None)  # each process opens its own
        state.pop("train_labels", None)
        state.pop("public_labels", None)
        return state

    def __getitem__(self, index):
        if self.split == "Training":
            img, target = self.train_data[index], self.train_labels[index]
        else:
            img, target = self.public_data[index], self.public_labels[index]
        img = img[:, :, np.newaxis]
        return img, target

    def __len__(self):
        if self.split == "Training":
            return len(self.train_data)
        return len(self.public_data)


def prepare(folder):
    with h5py.File(os.path.join(folder, "data.h5"), "w") as f:
        for name in ("Training", "Public"):
            f[name + "_pixel"] = np.arange(32).reshape(8, 4)
            f[name + "_label"] = np.arange(8)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        dataset = Faces(folder, "Training")
        loader = DataLoader(
            dataset,
            batch_size=4,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        rows = [repr(batch) for _ in range(2) for batch in loader]
    print("RESULT", rows)
