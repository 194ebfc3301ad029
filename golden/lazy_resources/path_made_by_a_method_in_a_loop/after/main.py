import argparse
import functools
import os
import tempfile
import h5py

import torch
from torch.utils.data import DataLoader, Dataset


class Data(Dataset):
    def __init__(self, root, names):
        self.root = root
        self.paths = {}
        self.sizes = {}
        for name in names:
            self.paths[name] = self._path(name)
            f = h5py.File(self.paths[name], "r")
            self.sizes[name] = len(f["x"])
            f.close()
        self.index = [(n, k) for n in names for k in range(self.sizes[n])]

    @functools.cached_property
    def files(self):
        return {key: h5py.File(path, "r") for key, path in self.paths.items()}

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("files", None)  # each process opens its own
        return state

    def _path(self, name):
        return os.path.join(self.root, name + ".h5")

    def __len__(self):
        return len(self.index)

    def __getitem__(self, i):
        f, row = self.index[i]
        return torch.tensor(self.files[f]["x"][row])


def build(root):
    paths = []
    for i, n in enumerate("abc"):
        path = os.path.join(root, n + ".h5")
        with h5py.File(path, "w") as f:
            f["x"] = [10.0 * i + k for k in range(i + 2)]
            f.attrs["ok"] = n != "b"
        paths.append(path)
    return Data(root, "abc")


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--workers", type=int, default=0)
    ap.add_argument("--start-method", default="spawn")
    args = ap.parse_args()
    with tempfile.TemporaryDirectory() as root:
        data = build(root)
        loader = DataLoader(data, batch_size=3, num_workers=args.workers,
                            multiprocessing_context=args.start_method if args.workers else None)
        print("RESULT", len(data), [b.tolist() for b in loader])
