import argparse
import os
import tempfile

import torch
from torch.utils.data import DataLoader, Dataset


class Part(Dataset):
    def __init__(self, folder):
        self.file = open(os.path.join(folder, f"{torch.initial_seed() % 2}.txt"))

    def __len__(self):
        return 3

    def __getitem__(self, index):
        self.file.seek(2 * index)
        return int(self.file.read(1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name in ("0", "1"):
            with open(os.path.join(folder, f"{name}.txt"), "w") as file:
                file.write("1\n2\n3\n")
        context = args.start_method if args.workers else None
        loader = DataLoader(Part(folder), num_workers=args.workers, multiprocessing_context=context)
        print("RESULT", [batch.item() for batch in loader])


if __name__ == "__main__":
    main()
