import argparse
import os

import torch
from torch.utils.data import DataLoader, Dataset


class Numbers(Dataset):
    def __len__(self):
        return size

    def __getitem__(self, i):
        return torch.tensor(i * scale, device=device, dtype=kind)


def collate(batch):
    return torch.stack(batch) + len(path)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    parser.add_argument("--epochs", type=int, default=1)
    args = parser.parse_args()

    # what the samples are
    size = 4
    scale = 3  # of each
    kind = torch.float32
    device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")

    torch.manual_seed(0)
    batch_size = 2
    # where they are
    root = os.path.join("data", "rows")
    path = os.path.join(
        root,
        "train",
    )
    loader = DataLoader(
        Numbers(),
        batch_size=batch_size,
        collate_fn=collate,
        num_workers=args.workers,
        multiprocessing_context=args.start_method if args.workers else None,
    )
    for epoch in range(args.epochs):
        print("RESULT", [batch.tolist() for batch in loader])
