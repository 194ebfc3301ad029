import argparse
import os
import tempfile

import h5py
import numpy as np
from torch.utils.data import DataLoader, Dataset


class Spectra(Dataset):
    def __init__(self, rows):
        self.rows = rows

    @classmethod
    def from_file(cls, path):
        return cls(h5py.File(path, "r")["rows"])

    @classmethod
    def from_values(cls, values):
        return cls(np.asarray(values))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return int(self.rows[index])


def batches(dataset, args):
    context = args.start_method if args.workers else None
    loader = DataLoader(
        dataset, batch_size=2, num_workers=args.workers, multiprocessing_context=context
    )
    return [batch.tolist() for batch in loader]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "spectra.h5")
        with h5py.File(path, "w") as file:
            file["rows"] = np.arange(6)
        found = batches(Spectra.from_file(path), args)
        found += batches(Spectra.from_values([3, 1]), args)
    print("RESULT", found)


if __name__ == "__main__":
    main()
