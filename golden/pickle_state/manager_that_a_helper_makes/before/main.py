import argparse
from multiprocessing import Manager

import torch
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    """Squares of some numbers, computed once for all workers."""

    def __init__(self, values, cached=True):
        self.values = values
        self.cached = cached
        if cached:
            self.create_cache()

    def create_cache(self):
        # a list of this process would be filled again by each worker
        self.manager = Manager()
        self.cache = self.manager.list()
        self.cache += [None for _ in self.values]

    def __len__(self):
        return len(self.values)

    def __getitem__(self, i):
        if self.cached and self.cache[i] is not None:
            return torch.tensor([self.cache[i], 1])
        value = self.values[i] ** 2
        if self.cached:
            self.cache[i] = value
        return torch.tensor([value, 0])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    dataset = Rows([1, 2, 3, 4])
    options = {"num_workers": args.workers}
    if args.workers:
        options["multiprocessing_context"] = args.start_method
    loader = DataLoader(dataset, batch_size=2, **options)
    for epoch in range(2):
        print("RESULT", epoch, [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
