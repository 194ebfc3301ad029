import argparse
import copy
import threading

import torch
from torch.utils.data import DataLoader


class Rows:
    __slots__ = ("rows", "lock", "__weakref__")

    def __init__(self, rows):
        self.rows = rows
        self.lock = threading.Lock()

    def select(self, rows):
        part = copy.copy(self)
        part.rows = rows
        return part

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        with self.lock:
            return torch.tensor(self.rows[index])


def options(args):
    context = args.start_method if args.workers else None
    return {"batch_size": 2, "num_workers": args.workers, "multiprocessing_context": context}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    rows = Rows([3, 1, 4, 1, 5])
    part = rows.select([2, 7])
    batches = [batch.tolist() for batch in DataLoader(part, **options(args))]
    print("RESULT", batches, rows.lock is part.lock)
