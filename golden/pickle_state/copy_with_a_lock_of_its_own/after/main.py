import argparse
import copy
import threading

import torch
from torch.utils.data import DataLoader, Dataset


class Points(Dataset):
    def __init__(self, values):
        self.values = values
        self._lock = threading.Lock()
        self.hits = 0

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("_lock", None)  # recreated by __setstate__
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._lock = threading.Lock()

    def subset(self, indices):
        other = copy.copy(self)
        other.values = [self.values[i] for i in indices]
        other._lock = threading.Lock()
        return other

    def __len__(self):
        return len(self.values)

    def __getitem__(self, index):
        with self._lock:
            self.hits += 1
        return torch.tensor(self.values[index])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    dataset = Points(list(range(12))).subset(range(0, 12, 2))
    loader = DataLoader(
        dataset, batch_size=3, num_workers=args.workers, multiprocessing_context=context
    )
    print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
