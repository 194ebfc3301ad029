import argparse
import os
import tempfile

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Tokens(Dataset):
    def __init__(self, folder, block=4):
        data = np.memmap(os.path.join(folder, "train.bin"), dtype=np.uint16, mode="r")
        n = len(data) // block * block
        self.blocks = data[:n].reshape(-1, block)

    def __len__(self):
        return len(self.blocks)

    def __getitem__(self, i):
        return torch.from_numpy(self.blocks[i].astype(np.int64)) * (self.blocks._mmap is not None)


def prepare(folder):
    np.arange(43, dtype=np.uint16).tofile(os.path.join(folder, "train.bin"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        dataset = Tokens(folder)
        loader = DataLoader(
            dataset,
            batch_size=4,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        rows = [repr(batch) for _ in range(2) for batch in loader]
    print("RESULT", rows)
