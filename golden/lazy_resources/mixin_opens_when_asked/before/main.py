import argparse
import os
import tempfile

import torch
from base import LmdbMixin, make
from torch.utils.data import DataLoader, Dataset


class Words(LmdbMixin, Dataset):
    def __init__(self, path, scale=2.0):
        super().__init__()
        self.scale = scale
        self.open_db(path)
        self.total = self.count()

    def __len__(self):
        return self.total

    def __getitem__(self, i):
        return torch.tensor(self.fetch(i)) * self.scale


def build(root):
    path = os.path.join(root, "db")
    make(path)
    return Words(path)


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
