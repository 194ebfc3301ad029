import argparse
import mmap
import os
import tempfile

import torch
from torch.utils.data import DataLoader, Dataset


class Pages:
    """Use it in a `with`, or enter it and close it yourself."""

    def __init__(self, path, size=4):
        self.path = path
        self.size = size
        self._map = None

    def __getstate__(self):
        state = self.__dict__.copy()
        if state.get("_map") is not None:
            state["_map"] = True  # __setstate__ calls __enter__()
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        if self._map:
            self._map = None
            self.__enter__()

    def __enter__(self):
        with open(self.path, "rb") as file:
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        return self

    def __exit__(self, *exc_info):
        self._map.close()
        self._map = None

    def page(self, number):
        return list(self._map[number * self.size : (number + 1) * self.size])


class Samples(Dataset):
    def __init__(self, path):
        self.pages = Pages(path).__enter__()

    def __len__(self):
        return 4

    def __getitem__(self, i):
        return torch.tensor(self.pages.page(i))


def build(root):
    path = os.path.join(root, "pages")
    with open(path, "wb") as out:
        out.write(bytes(range(16)))
    return Samples(path)


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
