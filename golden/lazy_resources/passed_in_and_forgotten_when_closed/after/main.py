import argparse
import os
import tempfile

import h5py
import torch
from torch.utils.data import DataLoader, Dataset


class Signals(Dataset):
    def __init__(self, file):
        self._file_by_pid = {os.getpid(): file}
        self._file_name = file.filename
        self._file_mode = file.mode
        self.count = len(file["signals"])

    @property
    def file(self):
        pid = os.getpid()
        if pid not in self._file_by_pid:
            self._file_by_pid[pid] = h5py.File(self._file_name, self._file_mode)
        return self._file_by_pid[pid]

    @file.setter
    def file(self, file):
        self._file_by_pid[os.getpid()] = file

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_file_by_pid"] = {}  # each process opens its own
        return state

    def close(self):
        if self._file_by_pid.get(os.getpid()) is not None:
            self.file.close()
            self.file = None

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return torch.from_numpy(self.file["signals"][index])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    options = {"num_workers": args.workers}
    if args.workers:
        options["multiprocessing_context"] = args.start_method
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "signals.h5")
        with h5py.File(path, "w") as file:
            file["signals"] = [[n, n * n] for n in range(4)]
        signals = Signals(h5py.File(path, "r"))
        print("RESULT", [batch.tolist() for batch in DataLoader(signals, batch_size=2, **options)])
        signals.close()
        signals.close()


if __name__ == "__main__":
    main()
