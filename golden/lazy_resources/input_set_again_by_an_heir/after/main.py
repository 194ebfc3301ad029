import argparse
import functools
import mmap
import os
import tempfile

import torch
from torch.utils.data import DataLoader, Dataset


class Pages(Dataset):
    size = 4

    def __init__(self, path):
        self.path = path
        self._path = self.path
        with open(self._path, "rb") as file:
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as pages:
                self._length = len(pages) // self.size

    @functools.cached_property
    def file(self):
        return open(self._path, "rb")

    @functools.cached_property
    def pages(self):
        return mmap.mmap(self.file.fileno(), 0, access=mmap.ACCESS_READ)

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("file", None)  # each process opens its own
        state.pop("pages", None)
        return state

    def __len__(self):
        return self._length

    def __getitem__(self, i):
        return torch.tensor(list(self.pages[i * self.size : (i + 1) * self.size]))


class Labelled(Pages):
    """Pages with a label each, in a file beside them."""

    def __init__(self, path):
        super().__init__(path)
        self.path = path + ".labels"
        with open(self.path) as labels:
            self.labels = [int(line) for line in labels]

    def __getitem__(self, i):
        return super().__getitem__(i) + self.labels[i]


def build(root):
    path = os.path.join(root, "pages")
    with open(path, "wb") as out:
        out.write(bytes(range(16)))
    with open(path + ".labels", "w") as out:
        out.write("0\n10\n20\n30\n")
    return Labelled(path)


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
