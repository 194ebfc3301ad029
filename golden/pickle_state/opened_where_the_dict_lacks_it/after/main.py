import argparse
import gzip
import os
import tempfile

import torch
from torch.utils.data import DataLoader, Dataset


class Records(Dataset):
    width = 2

    def __init__(self, path):
        self._file_by_pid = {}
        self.path = path

    @property
    def _file(self):
        if os.getpid() not in self._file_by_pid:
            raise AttributeError("_file")
        return self._file_by_pid[os.getpid()]

    @_file.setter
    def _file(self, file):
        self._file_by_pid[os.getpid()] = file

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_file_by_pid"] = {}  # each process opens its own
        return state

    def open(self):
        if not hasattr(self, "_file"):
            self._file = gzip.open(self.path)
        return self._file

    def __len__(self):
        self.open().seek(0, os.SEEK_SET)
        return len(self._file.read()) // self.width

    def __getitem__(self, i):
        file = self.open()
        file.seek(i * self.width)
        return torch.tensor(list(file.read(self.width)))


def build(root):
    path = os.path.join(root, "records.gz")
    with gzip.open(path, "wb") as out:
        out.write(bytes(range(12)))
    records = Records(path)
    print(len(records), "records")
    return records


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
