import argparse
import functools
import os
import tempfile

import h5py
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Comp(Dataset):
    def __init__(self, root, names):
        self._paths = {}
        for name in names:
            path = os.path.join(root, f"{name}.h5")
            if not os.path.exists(path):
                continue
            self._paths[name] = path
        files = self._open_files()
        self._names = sorted(files)
        self._lengths = [len(files[n]["x"]) for n in self._names]
        for opened in files.values():
            opened.close()

    def _open_files(self):
        return {key: h5py.File(path, "r", libver="latest") for key, path in self._paths.items()}

    @functools.cached_property
    def _files(self):
        return self._open_files()

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("_files", None)  # each process opens its own
        return state

    def __len__(self):
        return min(self._lengths)

    def __getitem__(self, i):
        return torch.stack([torch.from_numpy(self._files[n]["x"][i]) for n in self._names])


def build(root):
    for k in range(3):
        with h5py.File(os.path.join(root, f"{k}.h5"), "w") as f:
            f["x"] = np.arange(12.0).reshape(3, 4) + k * 100
    return Comp(root, ["0", "1", "2", "missing"])


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
        total = []
        for epoch in range(2):
            for batch in loader:
                total.append(batch.double().sum().item())
        print("RESULT", len(total), round(sum(total), 3), sorted(total)[:3])


if __name__ == "__main__":
    main()
