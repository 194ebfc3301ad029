import argparse
import os
import tempfile

import h5py
import torch
from torch.utils.data import DataLoader, Dataset


class Rasters(Dataset):
    def __init__(self, path):
        self.path = path
        self.file = h5py.File(self.path, "r")
        self.length = len(self.file["x"])

    def __len__(self):
        return self.length

    def close(self):
        if self.file:
            self.file.close()
            
            
    def scaled(self, value):
        return value * 2

    def __getitem__(self, i):
        return torch.tensor(self.scaled(self.file["x"][i]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows.h5")
        with h5py.File(path, "w") as out:
            out["x"] = [1.0, 2.0, 3.0, 4.0]
        rows = Rasters(path)
        loader = DataLoader(
            rows, batch_size=2, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", sum(float(batch.sum()) for batch in loader))
        rows.close()


if __name__ == "__main__":
    main()
