import argparse
import os
import tempfile
import zipfile

import torch
from torch.utils.data import DataLoader, Dataset


class Unpacked(Dataset):
    def __init__(self, blob):
        with tempfile.TemporaryDirectory() as scratch:
            path = os.path.join(scratch, "archive.zip")
            with open(path, "wb") as out:
                out.write(blob)
            self.archive = zipfile.ZipFile(path)

    def __len__(self):
        return 4

    def __getitem__(self, i):
        return torch.tensor(list(self.archive.read(f"{i}")))


def build(root):
    path = os.path.join(root, "a.zip")
    with zipfile.ZipFile(path, "w") as out:
        for n in range(4):
            out.writestr(f"{n}", bytes([n, 2 * n]))
    with open(path, "rb") as blob:
        return Unpacked(blob.read())


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
