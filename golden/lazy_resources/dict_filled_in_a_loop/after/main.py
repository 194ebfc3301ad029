import argparse
import functools
import os
import tempfile

import h5py
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Cameras(Dataset):
    def __init__(self, root, cameras):
        self.root = root
        self.cameras = cameras
        handles = self._open_handles()
        self.length = min(len(h["x"]) for h in handles.values())
        for opened in handles.values():
            opened.close()

    def _open_handles(self):
        handles = {}
        for camera in self.cameras:
            handles[camera] = h5py.File(os.path.join(self.root, camera + ".h5"), "r")
        return handles

    @functools.cached_property
    def handles(self):
        return self._open_handles()

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("handles", None)  # each process opens its own
        return state

    def __len__(self):
        return self.length

    def __getitem__(self, i):
        return torch.stack([torch.from_numpy(self.handles[c]["x"][i]) for c in self.cameras])


def build(root):
    for k, name in enumerate(["left", "right"]):
        with h5py.File(os.path.join(root, f"{name}.h5"), "w") as f:
            f["x"] = np.arange(12.0).reshape(3, 4) + k * 100
    return Cameras(root, ["left", "right"])


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
