import argparse
import os
import tempfile

import torch
from inputs import USED, open_input
from torch.utils.data import ConcatDataset, DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path, width):
        self.width = width
        self._path = path
        self._file_by_pid = {os.getpid(): open_input(path)}
        self.count = os.path.getsize(path) // width

    @property
    def file(self):
        pid = os.getpid()
        if pid not in self._file_by_pid:
            self._file_by_pid[pid] = open_input(self._path)
        return self._file_by_pid[pid]

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_file_by_pid"] = {}  # each process opens its own
        return state

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        self.file.seek(index * self.width)
        return torch.tensor(list(self.file.read(self.width)))


def build(root):
    paths = [os.path.join(root, name) for name in ("first.bin", "second.bin")]
    for start, path in enumerate(paths):
        with open(path, "wb") as out:
            out.write(bytes(range(start, start + 12)))
    return ConcatDataset([Rows(path, 3) for path in paths])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        dataset = build(root)
        used = list(USED)
        options = {"num_workers": args.workers}
        if args.workers:
            options["multiprocessing_context"] = args.start_method
        loader = DataLoader(dataset, batch_size=2, **options)
        print("RESULT", used, [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
