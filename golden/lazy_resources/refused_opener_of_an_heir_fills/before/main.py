import argparse
import os
import tarfile
import tempfile

import torch
from torch.utils.data import DataLoader, Dataset


class Store(Dataset):
    def __init__(self, path):
        self.path = path
        self.names = []
        self.handle = self.open()

    def open(self):
        return open(self.path, "rb")

    def __len__(self):
        return len(self.names) // 2


class Archive(Store):
    def open(self):
        archive = tarfile.open(self.path)
        self.names.extend(archive.getnames())
        return archive

    def __getitem__(self, index):
        return torch.tensor([len(self.names), *self.handle.extractfile(self.names[index]).read()])


def options(args):
    context = args.start_method if args.workers else None
    return {"batch_size": 2, "num_workers": args.workers, "multiprocessing_context": context}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows.tar")
        with tarfile.open(path, "w") as archive:
            for number in range(6):
                row = os.path.join(folder, str(number))
                with open(row, "wb") as file:
                    file.write(bytes([number, number * 2]))
                archive.add(row, str(number))
        print("RESULT", [batch.tolist() for batch in DataLoader(Archive(path), **options(args))])
