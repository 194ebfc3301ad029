import argparse
import os
import tempfile

import h5py
from torch.utils.data import DataLoader, Dataset


class Items(Dataset):
    def __init__(self, file, scale=2):
        self._file_by_pid = {os.getpid(): file}
        self._file_name = file.filename
        self._file_mode = file.mode
        self.scale = scale

    @property
    def file(self):
        pid = os.getpid()
        if pid not in self._file_by_pid:
            self._file_by_pid[pid] = h5py.File(self._file_name, self._file_mode)
        return self._file_by_pid[pid]

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_file_by_pid"] = {}  # each process opens its own
        return state

    def __len__(self):
        return len(self.file["items"])

    def __getitem__(self, index):
        return self.file["items"][str(index)][:] * self.scale


def make(path):
    with h5py.File(path, "w") as file:
        for i in range(6):
            file[f"items/{i}"] = [i, i * i]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/data"
        make(path)
        context = args.start_method if args.workers else None
        dataset = Items(h5py.File(path, "r"))
        loader = DataLoader(
            dataset, batch_size=3, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", [batch.tolist() for _ in range(2) for batch in loader])


if __name__ == "__main__":
    main()
