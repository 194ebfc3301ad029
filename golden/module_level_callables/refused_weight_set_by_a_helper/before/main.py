"""Scores of samples, weighted in the parent."""
import argparse

import torch
from torch.utils.data import DataLoader, Dataset

from scores import offset, weights_of


class Scores(Dataset):
    def __init__(self, n, **scorers):
        self.values = torch.arange(n, dtype=torch.float32)
        self.scorers = scorers

    def __len__(self):
        return len(self.values)

    def __getitem__(self, i):
        return torch.stack([score(self.values[i]) for score in self.scorers.values()])


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    return parser.parse_args()


def main():
    args = parse()
    scorers = {name: offset(weight) for name, weight in [("low", 0.5), ("high", 2.0)]}
    weights = torch.tensor(weights_of(scorers))
    loader = DataLoader(Scores(4, **scorers), batch_size=2, num_workers=args.workers,
                        multiprocessing_context=args.start_method if args.workers else None)
    total = sum(float((batch * weights).sum()) for batch in loader)
    print("RESULT", weights.tolist(), total)


if __name__ == "__main__":
    main()
