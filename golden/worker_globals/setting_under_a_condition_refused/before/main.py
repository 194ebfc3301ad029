import argparse

import torch
from torch.utils.data import DataLoader, Dataset


class Frames(Dataset):
    def __len__(self):
        return 6

    def __getitem__(self, index):
        return torch.tensor([index, index / 4, 0.1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    parser.add_argument("--single", action="store_true")
    args = parser.parse_args()
    if not args.single:
        torch.set_default_dtype(torch.float64)
    method = args.start_method if args.workers else None
    loader = DataLoader(Frames(), num_workers=args.workers, multiprocessing_context=method)
    print("RESULT", [batch.dtype for batch in loader])


if __name__ == "__main__":
    main()
