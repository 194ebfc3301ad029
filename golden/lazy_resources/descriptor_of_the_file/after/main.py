import argparse
import functools
import os
import tempfile

import torch
from torch.utils.data import DataLoader, Dataset


class Blocks(Dataset):
    size = 4

    def __init__(self, path):
        self.path = path
        with open(self.path, "rb") as file:
            descriptor = file.fileno()
            self.count = os.fstat(descriptor).st_size // self.size

    @functools.cached_property
    def file(self):
        return open(self.path, "rb")

    @functools.cached_property
    def descriptor(self):
        return self.file.fileno()

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("file", None)  # each process opens its own
        state.pop("descriptor", None)
        return state

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
