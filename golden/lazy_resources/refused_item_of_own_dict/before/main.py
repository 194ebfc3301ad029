import argparse
import os
import tempfile
import zipfile

import torch
from torch.utils.data import DataLoader, Dataset


class Archives(dict):
    def __missing__(self, path):
        self[path] = zipfile.ZipFile(path)
        return self[path]


class Bytes(Dataset):
    def __init__(self, path):
        self.path = path
        self.archives = Archives()
        self.names = self.archives[path].namelist()

    def __len__(self):
        return len(self.names)

    def __getitem__(self, i):
        return torch.tensor(list(self.archives[self.path].read(self.names[i])))


def build(root):
    path = os.path.join(root, "a.zip")
    with zipfile.ZipFile(path, "w") as out:
        for n in range(4):
            out.writestr(f"{n}", bytes([n]))
    return Bytes(path)


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
