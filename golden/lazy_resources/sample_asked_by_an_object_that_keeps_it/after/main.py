import argparse
import os
import tempfile

import h5py
import torch
from torch.utils.data import DataLoader, Dataset


class Volumes(Dataset):
    def __init__(self, path):
        self.path = path
        self._store_by_pid = {}

    @property
    def store(self):
        pid = os.getpid()
        if pid not in self._store_by_pid:
            self._store_by_pid[pid] = h5py.File(self.path, "r")
        return self._store_by_pid[pid]

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_store_by_pid"] = {}  # each process opens its own
        return state

    def __len__(self):
        return 4

    def __getitem__(self, i):
        return torch.tensor(self.store["x"][i])


class Preview:
    """Shows the first sample."""

    def __init__(self, samples):
        self.samples = samples

    def show(self):
        return self.samples[0].tolist()


def build(root):
    path = os.path.join(root, "a.h5")
    with h5py.File(path, "w") as out:
        out["x"] = [7, 8, 9, 10]
    volumes = Volumes(path)
    assert Preview(volumes).show() == 7
    return volumes


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
