import argparse
import json
import os
import tempfile

import torch
from torch.utils.data import DataLoader, Dataset


class Lines(Dataset):
    def __init__(self, path, limit=None):
        self._file_by_pid = {}
        self.path = path
        self.file = None
        self.offsets = self._build_index(limit)

    def _build_index(self, limit):
        self._open_file()
        offsets = []
        position = 0
        for line in self.file:
            if line.strip():
                offsets.append(position)
            position += len(line)
        return offsets[:limit]

    def _open_file(self):
        self.file = open(self.path, "rb")

    @property
    def file(self):
        if os.getpid() not in self._file_by_pid:
            self._open_file()
        return self._file_by_pid[os.getpid()]

    @file.setter
    def file(self, file):
        self._file_by_pid[os.getpid()] = file

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_file_by_pid"] = {}  # each process opens its own
        return state

    def __len__(self):
        return len(self.offsets)

    def __getitem__(self, index):
        self.file.seek(self.offsets[index])
        return torch.tensor(json.loads(self.file.readline()))

    def __del__(self):
        if getattr(self, "_file_by_pid", {}).get(os.getpid()) is not None:
            self.file.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows.jsonl")
        with open(path, "w") as out:
            for number in range(40):
                out.write(f"[{number}, {number * number}]\n" + "\n" * (number % 3))
        dataset = Lines(path, limit=33)
        loader = DataLoader(
            dataset,
            batch_size=4,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
