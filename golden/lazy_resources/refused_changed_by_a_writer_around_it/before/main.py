import argparse
import os
import tempfile

import h5py
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __init__(self, path):
        self.file = open(path, "rb")
        self.head = self.file.read(4)

    def __len__(self):
        return 4

    def __getitem__(self, index):
        self.file.seek(index)
        return float(len(self.file.read()))


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--start-method", default="spawn")
    return parser.parse_args()


def main():
    args = arguments()
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, "rows.txt")
    with open(path, "w") as log:
        log.write("abcdefgh")
        log.flush()
        dataset = Rows(path)
        log.seek(0)
        log.truncate()
        log.write("xy")
    loader = DataLoader(dataset, num_workers=args.workers, multiprocessing_context=args.start_method if args.workers else None)
    print("RESULT", sum(float(v.sum()) for v in loader))


if __name__ == "__main__":
    main()
