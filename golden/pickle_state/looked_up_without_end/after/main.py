import argparse

import torch
from torch.utils.data import DataLoader, Dataset


class Store:
    def __init__(self, values):
        self.values = values

    def value(self, i):
        return torch.tensor(self.values[i])


class Cached(Dataset):
    def __init__(self, store):
        self.store = store
        self.seen = {}

    def __getstate__(self):
        return self.__dict__.copy()

    def __setstate__(self, state):
        self.__dict__.update(state)

    def __getattr__(self, name):
        return getattr(self.store, name)

    def __len__(self):
        return len(self.values)

    def __getitem__(self, i):
        return self.seen.setdefault(i, self.value(i))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    dataset = Cached(Store([1, 2, 3, 4]))
    options = {"num_workers": args.workers}
    if args.workers:
        options["multiprocessing_context"] = args.start_method
    loader = DataLoader(dataset, batch_size=2, **options)
    print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
