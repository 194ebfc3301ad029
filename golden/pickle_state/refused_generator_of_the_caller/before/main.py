import argparse

import torch
from torch.utils.data import DataLoader, Dataset


class Order(Dataset):
    def __init__(self, count, generator=None):
        if generator is None:
            generator = torch.Generator()
        self.generator = generator
        self.order = torch.randperm(count, generator=self.generator.manual_seed(3))

    def __len__(self):
        return len(self.order)

    def __getitem__(self, index):
        return self.order[index]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    method = args.start_method if args.workers else None
    loader = DataLoader(Order(6), 2, num_workers=args.workers, multiprocessing_context=method)
    print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
