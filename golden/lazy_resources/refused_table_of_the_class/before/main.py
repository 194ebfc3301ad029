import argparse
import os
import tempfile
import zipfile

import torch
from torch.utils.data import ConcatDataset, DataLoader, Dataset


class Members(Dataset):
    """Archives are opened once and remembered on the class."""

    _archives = {}

    def __init__(self, path):
        self.path = path
        if path not in self._archives:
            self._archives[path] = zipfile.ZipFile(path)
        self.archive = self._archives[path]
        self.names = self.archive.namelist()

    def __len__(self):
        return len(self.names)

    def __getitem__(self, index):
        return torch.tensor(list(self.archive.read(self.names[index])))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        sets = []
        for number in range(2):
            path = os.path.join(folder, f"{number}.zip")
            with zipfile.ZipFile(path, "w") as out:
                for member in range(3):
                    out.writestr(str(member), bytes([number, member]))
            sets.append(Members(path))
        loader = DataLoader(
            ConcatDataset(sets),
            batch_size=2,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
