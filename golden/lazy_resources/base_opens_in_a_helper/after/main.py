import argparse
import os
import tempfile

import torch
from data.base import BaseReader, fabricate
from torch.utils.data import DataLoader, Dataset


class Faces(BaseReader):
    table = "faces"

    def __init__(self, path, limit=None):
        super().__init__(path)
        self.ids = self.query_ids(limit)

    def __getitem__(self, i):
        return torch.tensor(self.value(self.ids[i]))


def build(root):
    path = os.path.join(root, "t.db")
    fabricate(path)
    return Faces(path, limit=6)


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
