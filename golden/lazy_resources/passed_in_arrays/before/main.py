import argparse
import os
import tempfile

import numpy as np
from torch.utils.data import DataLoader, Dataset


class Arrays(Dataset):
    def __init__(self, archive):
        self.archive = archive
        self.names = sorted(archive.files)

    def __len__(self):
        return len(self.names)

    def __getitem__(self, index):
        return float(self.archive[self.names[index]].sum())


def build(root):
    path = os.path.join(root, "arrays.npz")
    np.savez(path, a=np.arange(3), b=np.arange(4), c=np.ones(2))
    return Arrays(np.load(path))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        loader = DataLoader(
            build(root),
            batch_size=2,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
