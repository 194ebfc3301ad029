import argparse

from pathlib import Path
import torch
from torch.utils.data import DataLoader, Dataset


class Files(Dataset):
    def __init__(self, root):
        self.root = Path(root)

    def __len__(self):
        return 4

    def __getitem__(self, i):
        path = Path(f"{i}.png")
        return torch.tensor(i), path


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    loader = DataLoader(Files("."), num_workers=args.workers, multiprocessing_context=args.start_method if args.workers else None)
    print("RESULT", [int(v) for v, p in loader])


if __name__ == "__main__":
    main()
