import argparse
import contextlib
import os
import tempfile

import h5py
import torch
from torch.utils.data import DataLoader, Dataset


class Scans(Dataset):
    def __init__(self, path: str, key: str) -> None:
        self._path = path
        self._file_by_pid: dict[int, h5py.File] = {}
        self._key = key
        self._scans_by_pid = {os.getpid(): self._file[key]}

    @property
    def _file(self) -> h5py.File:
        pid = os.getpid()
        if pid not in self._file_by_pid:
            self._file_by_pid[pid] = h5py.File(self._path, "r")
        return self._file_by_pid[pid]

    @property
    def _scans(self):
        pid = os.getpid()
        if pid not in self._scans_by_pid:
            self._scans_by_pid[pid] = self._file[self._key]
        return self._scans_by_pid[pid]

    def __getstate__(self) -> dict[str, object]:
        state = self.__dict__.copy()
        state["_file_by_pid"] = {}  # each process opens its own
        state["_scans_by_pid"] = {}
        return state

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
