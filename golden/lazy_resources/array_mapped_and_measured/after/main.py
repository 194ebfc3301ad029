import argparse
import functools
import os
import tempfile

import numpy as np
from torch.utils.data import DataLoader, Dataset


class Tokens(Dataset):
    def __init__(self, path, width):
        self.width = width
        self.path = path
        self.count = self.tokens.shape[0] // width

    @functools.cached_property
    def tokens(self):
        return np.load(self.path, mmap_mode="r")

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("tokens", None)  # each process opens its own
        return state

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        mapped = isinstance(self.tokens, np.memmap) and self.tokens._mmap is not None
        return int(self.tokens[index * self.width :][: self.width].sum()) * mapped


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    with tempfile.TemporaryDirectory() as root:
        path = os.path.join(root, "tokens.npy")
        np.save(path, np.arange(1, 13))
        tokens = Tokens(path, 3)
        loader = DataLoader(
            tokens, batch_size=2, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
