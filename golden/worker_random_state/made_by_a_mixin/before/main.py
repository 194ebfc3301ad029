import argparse
import random

import torch
from torch.utils.data import DataLoader, Dataset


class Seeded:
    def init_rng(self, seed=None):
        if seed is None:
            seed = 1234
        self.rng = random.Random(seed)

    def jitter(self, value):
        return value + self.rng.gauss(0.0, 1.0)


class Points(Seeded, Dataset):
    def __init__(self, count):
        super().__init__()
        self.init_rng()
        self.order = list(range(count))
        self.rng.shuffle(self.order)

    def __len__(self):
        return len(self.order)

    def __getitem__(self, index):
        return torch.tensor(self.jitter(0.0), dtype=torch.float64), self.order[index]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    points = Points(8)
    loader = DataLoader(points, batch_size=2, num_workers=args.workers, multiprocessing_context=context)
    drawn = [value for _ in range(2) for values, _ in loader for value in values.tolist()]
    print("RESULT", len(set(drawn)) == len(drawn), points.order)


if __name__ == "__main__":
    main()
