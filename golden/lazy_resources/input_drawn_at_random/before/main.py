import argparse
import gzip
import os
import random
import tempfile

import torch
from torch.utils.data import DataLoader, Dataset


class Records(Dataset):
    width = 2

    def __init__(self, folder, seed):
        random.seed(seed)
        self.file = gzip.open(os.path.join(folder, random.choice(sorted(os.listdir(folder)))))

    def __len__(self):
        return 6

    def __getitem__(self, i):
        self.file.seek(i * self.width)
        return torch.tensor(list(self.file.read(self.width)))


def build(root):
    for shard in range(5):
        with gzip.open(os.path.join(root, f"{shard}.gz"), "wb") as out:
            out.write(bytes(range(shard, shard + 12)))
    return Records(root, seed=3)


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
