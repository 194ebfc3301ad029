import argparse
import os
import tempfile
import zipfile

import torch
from torch.utils.data import DataLoader, Dataset


class Archives(Dataset):
    def __init__(self, paths):
        self.archives = {}
        self.members = []
        for path in paths:
            self.add(path)

    def add(self, path):
        try:
            archive = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, FileNotFoundError):
            return False
        self.archives[path] = archive
        self.members.extend((path, name) for name in archive.namelist())
        return True

    def __len__(self):
        return len(self.members)

    def __getitem__(self, index):
        path, name = self.members[index]
        return torch.tensor(list(self.archives[path].read(name)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, f"{number}.zip") for number in range(3)]
        for number, path in enumerate(paths[:2]):
            with zipfile.ZipFile(path, "w") as out:
                out.writestr("a", bytes([number, 1]))
                out.writestr("b", bytes([number, 2]))
        archives = Archives(paths)
        loader = DataLoader(
            archives,
            batch_size=2,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
