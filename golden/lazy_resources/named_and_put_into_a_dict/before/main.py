import argparse
import os
import tempfile
import h5py

import torch
from torch.utils.data import DataLoader, Dataset


class Data(Dataset):
    def __init__(self, root, names):
        self._handles = {}
        self.index = []
        for name in names:
            h = self._handles[name] = h5py.File(os.path.join(root, f"{name}.h5"), "r")
            self.index += [(name, k) for k in range(len(h["x"]))]

    def __len__(self):
        return len(self.index)

    def __getitem__(self, i):
        name, row = self.index[i]
        return torch.tensor(self._handles[name]["x"][row])


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
