import argparse
import functools
import os
import tempfile
import h5py

import torch
from torch.utils.data import DataLoader, Dataset


class Data(Dataset):
    def __init__(self, left, right):
        self.left = left
        self.right = right
        pairs = self._open_pairs()
        self._length = len(pairs)

    def _open_pairs(self):
        pairs = []
        for a, b in zip(self.left, self.right):
            pairs.append((h5py.File(a, "r"), h5py.File(b, "r")))
        return pairs

    @functools.cached_property
    def pairs(self):
        return self._open_pairs()

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("pairs", None)  # each process opens its own
        return state

    def __len__(self):
        return self._length

    def __getitem__(self, i):
        a, b = self.pairs[i]
        return torch.tensor(a["x"][0] + b["x"][0])


def build(root):
    paths = []
    for i, n in enumerate("abc"):
        path = os.path.join(root, n + ".h5")
        with h5py.File(path, "w") as f:
            f["x"] = [10.0 * i + k for k in range(i + 2)]
            f.attrs["ok"] = n != "b"
        paths.append(path)
    return Data(paths, paths[::-1])


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
