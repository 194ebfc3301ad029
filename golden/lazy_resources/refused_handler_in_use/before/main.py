import argparse
import logging
import os
import tempfile

import torch
from torch.utils.data import DataLoader, Dataset


class Logged(Dataset):
    def __init__(self, root, n):
        self.n = n
        self.handler = logging.FileHandler(os.path.join(root, "log.txt"))
        self.handler.setLevel(logging.WARNING)
        self.logger = logging.getLogger("data")
        self.logger.addHandler(self.handler)

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        self.logger.debug("get %d", i)
        return torch.tensor(float(i))


def build(root):
    return Logged(root, 8)


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
        total = []
        for epoch in range(2):
            for batch in loader:
                total.append(batch.double().sum().item())
        print("RESULT", len(total), round(sum(total), 3), sorted(total)[:3])


if __name__ == "__main__":
    main()
