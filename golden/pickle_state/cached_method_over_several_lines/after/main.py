import argparse
import functools
import os
import tempfile
import threading

import torch
from torch.utils.data import DataLoader, Dataset


class Maybe(Dataset):
    def __init__(self, n, cached):
        self.n = n
        self.lock = None
        if cached:
            # one reader at a time
            self.lock = threading.Lock()
            self.read = functools.lru_cache(maxsize=self.n, typed=False)(
                self.read
            )

    def __getstate__(self):
        state = self.__dict__.copy()
        if state.get("lock") is not None:
            state["lock"] = True  # recreated by __setstate__
        if state.get("read") is not None:
            state["read"] = True
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        if self.__dict__.get("lock"):
            self.lock = threading.Lock()
        if self.__dict__.pop("read", None):
            self.read = functools.lru_cache(maxsize=self.n, typed=False)(
                self.read
            )

    def __len__(self):
        return self.n

    def read(self, i):
        return i * 2

    def __getitem__(self, i):
        if self.lock is None:
            return self.read(i), hasattr(self.read, "cache_info")
        with self.lock:
            return self.read(i), hasattr(self.read, "cache_info")


def prepare(folder):
    pass


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        dataset = torch.utils.data.ConcatDataset([Maybe(4, True), Maybe(5, False), Maybe(3, None)])
        loader = DataLoader(
            dataset,
            batch_size=4,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        rows = [repr(batch) for _ in range(2) for batch in loader]
    print("RESULT", rows)
