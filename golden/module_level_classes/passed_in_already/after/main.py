import argparse

import torch
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, count, scale):
        self.scale = scale
        self.rows = torch.arange(count)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index] * self.scale


def make_loader(args, scale):
    context = args.start_method if args.workers else None

    rows = Rows(6, scale)
    return DataLoader(
        rows, batch_size=2, num_workers=args.workers, multiprocessing_context=context
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    print("RESULT", [batch.tolist() for batch in make_loader(args, 7)])
