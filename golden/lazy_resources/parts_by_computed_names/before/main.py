import argparse
import os
import tempfile

import h5py
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Tracks(Dataset):
    """Reads the bands of a survey, one dataset for each wavelength."""

    def __init__(self, path, wavelengths=(400, 700)):
        self.path = path
        self.wavelengths = tuple(wavelengths)
        self.file = h5py.File(path, "r")
        bands = self.file["bands"]
        self.bands = [bands[f"nm_{each}"] for each in self.wavelengths]
        self.first = bands["nm_400"][:, 0]  # small, in memory

    def __len__(self):
        return len(self.first)

    def __getitem__(self, i):
        return torch.from_numpy(np.stack([band[i] for band in self.bands])) + float(self.first[i])


def build(root):
    path = os.path.join(root, "survey.h5")
    with h5py.File(path, "w") as f:
        f["bands/nm_400"] = np.arange(32.0).reshape(8, 4)
        f["bands/nm_700"] = np.arange(32.0).reshape(8, 4) * 2
    return Tracks(path)


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
        total = [batch.double().sum().item() for _ in range(2) for batch in loader]
        print("RESULT", len(total), round(sum(total), 3), sorted(total)[:3])


if __name__ == "__main__":
    main()
