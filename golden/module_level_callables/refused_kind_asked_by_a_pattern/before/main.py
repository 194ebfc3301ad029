"""Loads numbers by a recipe, and says what the recipe consists of."""
import argparse

import torch
from torch.utils.data import DataLoader, Dataset

from recipes import scaled
from report import kinds


class Numbers(Dataset):
    def __init__(self, recipe):
        self.recipe = recipe
        self.data = torch.arange(recipe.size, dtype=torch.float32)

    def __len__(self):
        return self.recipe.size

    def __getitem__(self, i):
        return self.recipe.transform(self.data[i])


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    return parser.parse_args()


def main():
    args = parse()
    recipe = scaled(2.0, 1.0)
    loader = DataLoader(Numbers(recipe), batch_size=3, num_workers=args.workers,
                        multiprocessing_context=args.start_method if args.workers else None)
    total = sum(float(batch.sum()) for batch in loader)
    print("RESULT", kinds(recipe), total)


if __name__ == "__main__":
    main()
