import argparse
import os
import tempfile
import threading

import torch
from torch.utils.data import ConcatDataset, DataLoader, Dataset


class Guarded(Dataset):
    def __init__(self, values):
        self.values = values
        self.seen = {}
        self.lock = threading.RLock()

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("lock", None)  # recreated by __setstate__
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.lock = threading.RLock()

    def __len__(self):
        return len(self.values)

    def __getitem__(self, i):
        with self.lock:
            return self.seen.setdefault(i, torch.tensor(self.values[i]))


class Plain(Guarded):
    def __init__(self, values):
        self.values = [value + 1 for value in values]

    def __getitem__(self, i):
        return torch.tensor(self.values[i])


def build(root):
    return ConcatDataset([Plain([1, 2]), Guarded([3, 4])])


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
