import argparse

import torch
from torch.utils.data import DataLoader

OFFSETS = {"car": 10, "bus": 20}


def labelled(batch, name, offset):
    return [(name, value + offset) for value in batch]


def make_samples(args):
    context = args.start_method if args.workers else None
    samples = []
    for name in ("car", "bus"):
        for batch in DataLoader(
            range(4),
            batch_size=2,
            collate_fn=lambda batch: labelled(batch, name, OFFSETS[name]),
            num_workers=args.workers,
            multiprocessing_context=context,
        ):
            samples.append(batch)
    return samples


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    torch.manual_seed(0)
    print("RESULT", make_samples(args))
