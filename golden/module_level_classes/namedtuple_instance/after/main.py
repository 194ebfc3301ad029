import argparse
from collections import namedtuple

import torch
from torch.utils.data import DataLoader, Dataset

Point = P = namedtuple("P", ["x", "y"])
Size = namedtuple("Size", "width height")


Pair = namedtuple("Pair", "first second")


class Points(Dataset):
    def __init__(self, by):
        self.origin = Point(1, 2)
        self.size = Size(3, 4)
        self.pair = Pair(by, 2 * by)

    def __len__(self):
        return 5

    def __getitem__(self, index):
        return torch.tensor([self.origin.x + index, self.pair.second, self.size.width])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    loader = DataLoader(
        Points(2), batch_size=2, num_workers=args.workers, multiprocessing_context=context
    )
    print("RESULT", [batch.tolist() for batch in loader])
