import argparse
from functools import cached_property

import torch
from torch.utils.data import DataLoader, Dataset


class Noise(Dataset):
    def __init__(self, size):
        self.size = size
        self.first = self.view[0]

    @cached_property
    def view(self):
        return memoryview(bytes(torch.randint(0, 9, (self.size,)).tolist()))

    def __len__(self):
        return self.size

    def __getitem__(self, index):
        return torch.tensor(self.view[index])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    torch.manual_seed(0)
    method = args.start_method if args.workers else None
    loader = DataLoader(Noise(9), 2, num_workers=args.workers, multiprocessing_context=method)
    print("RESULT", sum(int(batch.sum()) for batch in loader))


if __name__ == "__main__":
    main()
