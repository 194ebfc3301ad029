import argparse
import os
import tempfile

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Noisy(Dataset):
    def __init__(self, random_state=None):
        self.random_state = random_state or np.random.RandomState(0)

    def __len__(self):
        return 4

    def __getitem__(self, i):
        return torch.tensor(i + self.random_state.randint(0, 3))


def build(root):
    return Noisy(np.random.RandomState(11))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        dataset = build(root)
        options = {"num_workers": args.workers}
        if args.workers:
            options["multiprocessing_context"] = args.start_method
        loader = DataLoader(dataset, batch_size=2, **options)
        print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
