import argparse

import torch
from torch.utils.data import DataLoader, Dataset


class Frames(Dataset):
    def __len__(self):
        return 6

    def __getitem__(self, index):
        return torch.tensor([index / 4, 0.1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    torch.set_default_dtype(torch.float64)
    weight = torch.ones(2)
    torch.set_default_dtype(torch.float16)
    method = args.start_method if args.workers else None
    loader = DataLoader(Frames(), num_workers=args.workers, multiprocessing_context=method)
    print("RESULT", weight.dtype, [batch.dtype for batch in loader])


if __name__ == "__main__":
    main()
