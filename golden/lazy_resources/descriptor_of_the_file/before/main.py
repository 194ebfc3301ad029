import argparse
import os
import tempfile

import torch
from torch.utils.data import DataLoader, Dataset


class Blocks(Dataset):
    size = 4

    def __init__(self, path):
        self.path = path
        self.file = open(path, "rb")
        self.descriptor = self.file.fileno()
        self.count = os.fstat(self.descriptor).st_size // self.size

    def __len__(self):
        return self.count

    def __getitem__(self, i):
        return torch.tensor(list(os.pread(self.descriptor, self.size, i * self.size)))


def build(root):
    path = os.path.join(root, "blocks")
    with open(path, "wb") as out:
        out.write(bytes(range(16)))
    return Blocks(path)


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
