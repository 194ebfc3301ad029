import argparse
import functools
import os
import tempfile

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Arrays(Dataset):
    def __init__(self, path):
        self.path = path

    @functools.cached_property
    def source(self):
        return np.load(self.path)

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("source", None)  # each process opens its own
        return state

    def rows(self):
        return self.source["rows"] if self.path.endswith(".npz") else self.source

    def close(self):
        if self.path.endswith(".npz"):
            if "source" in self.__dict__:
                self.source.close()

    def __len__(self):
        return 6

    def __getitem__(self, i):
        return torch.from_numpy(self.rows()[i])


def build(root):
    rows = np.arange(12).reshape(6, 2)
    np.save(os.path.join(root, "rows.npy"), rows)
    np.savez(os.path.join(root, "rows.npz"), rows=rows)
    plain = Arrays(os.path.join(root, "rows.npy"))
    plain.close()
    return Arrays(os.path.join(root, "rows.npz"))


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
