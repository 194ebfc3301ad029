import argparse
import os
import tempfile

import h5py
import torch
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, name):
        self.name = name
        self.file = h5py.File(name + ".h5", "r")

    def __len__(self):
        return 4

    def __getitem__(self, i):
        return torch.tensor(self.file["x"][i])


def build(root):
    here = os.getcwd()
    os.chdir(root)
    with h5py.File("rows.h5", "w") as out:
        out["x"] = [3, 4, 5, 6]
    rows = Rows("rows")
    os.chdir(here)
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        dataset = build(root)
        options = {"num_workers": args.workers}
        if args.workers:
            options["multiprocessing_context"] = args.start_method
        loader = DataLoader(dataset, batch_size=2, **options)
        print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
