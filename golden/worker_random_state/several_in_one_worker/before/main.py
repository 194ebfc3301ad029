import argparse
import random

import numpy as np
from torch.utils.data import DataLoader, Dataset


class Shift:
    def __init__(self, seed):
        self.rng = np.random.RandomState(seed)

    def __call__(self, number):
        return number + self.rng.rand()


class Scale:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.noise = np.random.default_rng(seed)

    def __call__(self, number):
        return number + self.rng.random() + self.noise.random()


class Numbers(Dataset):
    def __init__(self, count, steps):
        self.count = count
        self.steps = steps

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return np.array([step(0) for step in self.steps])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    dataset = Numbers(8, [Shift(1), Shift(2), Scale(3), Scale(4)])
    loader = DataLoader(
        dataset,
        batch_size=2,
        num_workers=args.workers,
        multiprocessing_context=args.start_method if args.workers else None,
    )
    drawn = [float(number) for batch in loader for row in batch for number in row]
    print("RESULT", "distinct", len(set(drawn)))


if __name__ == "__main__":
    main()
