import argparse

import torch
from torch.utils.data import DataLoader, Dataset


def make_loader(args, scale):
    context = args.start_method if args.workers else None

    class Rows(Dataset):
        def __init__(self, count, scale):
            self.rows = torch.arange(count)

        def __len__(self):
            return len(self.rows)

        def __getitem__(self, index):
            return self.rows[index] * scale

    rows = Rows(6, scale=scale + 1)
    return DataLoader(
        rows, batch_size=2, num_workers=args.workers, multiprocessing_context=context
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    print("RESULT", [batch.tolist() for batch in make_loader(args, 7)])
