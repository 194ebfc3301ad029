import argparse
import os
import tempfile
import h5py

import torch
from torch.utils.data import DataLoader, Dataset


class Data(Dataset):
    def __init__(self, paths):
        self.files = []
        self.index = []
        for path in paths:
            f = h5py.File(path, "r")
            if not f.attrs["ok"]:
                f.close()
                continue
            self.index += [(len(self.files), k) for k in range(len(f["x"]))]
            self.files.append(f)

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
    return Data(paths)


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
