import argparse
import copy

import torch
from torch.utils.data import DataLoader, Dataset


class Copied(Dataset):
    def __init__(self):
        self.samples = [{"n": 1}, {"n": 2}]
        self.rows = torch.ones(2, 3)
        self.counts = [0, 0]

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, index):
        self.counts[index] += 1
        sample = copy.copy(self.samples[index])
        sample["n"] *= 2
        sample["row"] = self.rows[index].clone().mul_(2).tolist()
        return sample


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    dataset = Copied()
    loader = DataLoader(dataset, batch_size=None, num_workers=args.workers, multiprocessing_context=context)
    print("RESULT", [list(loader) for _ in range(2)])


if __name__ == "__main__":
    main()
