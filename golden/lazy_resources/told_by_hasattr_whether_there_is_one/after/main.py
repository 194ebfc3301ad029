import argparse
import functools
import os
import tempfile

import h5py
from torch.utils.data import DataLoader, Dataset


class Captions(Dataset):
    def __init__(self, labels, images=6):
        self.images = images
        self.labels = labels
        # only when there is ground truth
        if labels != "none":
            with h5py.File(self.labels, "r", driver="core") as label_file:
                self.images = len(label_file["labels"])

    @functools.cached_property
    def label_file(self):
        if self.labels != "none":
            return h5py.File(self.labels, "r", driver="core")
        raise AttributeError("label_file")

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("label_file", None)  # each process opens its own
        return state

    def __len__(self):
        return self.images

    def __getitem__(self, i):
        if hasattr(self, "label_file"):
            return int(self.label_file["labels"][i])
        return -1


def prepare(folder):
    with h5py.File(os.path.join(folder, "c.h5"), "w") as f:
        f["labels"] = [3, 1, 4, 1, 5, 9]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        dataset = Captions(os.path.join(folder, "c.h5"))
        loader = DataLoader(
            dataset,
            batch_size=4,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        rows = [repr(batch) for _ in range(2) for batch in loader]
    print("RESULT", rows)
