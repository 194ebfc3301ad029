import argparse
import contextlib
import os
import tempfile

import h5py
import torch
from torch.utils.data import DataLoader, Dataset


class Scans(Dataset):
    def __init__(self, path: str, key: str) -> None:
        self._file = h5py.File(path, "r")
        self._scans = self._file[key]

    def __len__(self) -> int:
        return 4

    def __getitem__(self, i: int) -> torch.Tensor:
        return torch.tensor(self._scans[i])


def build(root):
    path = os.path.join(root, "a.h5")
    with h5py.File(path, "w") as out:
        out["late"] = [1, 2, 3, 4]
    scans = None
    for key in ("early", "late"):
        with contextlib.suppress(KeyError):
            scans = Scans(path, key)
    return scans


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
