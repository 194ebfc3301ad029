import argparse

import torch
from torch.utils.data import DataLoader, Dataset

SIZE = 4
SCALE = 1.0


class Boards(Dataset):
    def __len__(self):
        return 6

    def __getitem__(self, index):
        return torch.full((SIZE,), float(index))


def collate(rows):
    return torch.stack(rows) * SCALE


def get_loader(args):
    return DataLoader(
        Boards(),
        batch_size=3,
        collate_fn=collate,
        num_workers=args.workers,
        multiprocessing_context=args.start_method if args.workers else None,
    )


def main():
    global SIZE, SCALE
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    parser.add_argument("--size", type=int, default=2)
    parser.add_argument("--scale", type=float, default=0.5)
    args = parser.parse_args()
    SIZE, SCALE = args.size, args.scale

    loader = get_loader(args)
    SIZE = 3
    print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
