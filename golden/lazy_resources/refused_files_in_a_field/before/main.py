import argparse
import os
import tempfile
from dataclasses import dataclass

import h5py
import torch
from torch.utils.data import DataLoader, Dataset


@dataclass
class Shards(Dataset):
    files: list

    def __len__(self):
        return 2 * len(self.files)

    def __getitem__(self, i):
        return torch.tensor(self.files[i // 2]["x"][i % 2])


def build(root):
    paths = [os.path.join(root, f"{number}.h5") for number in range(2)]
    for number, path in enumerate(paths):
        with h5py.File(path, "w") as out:
            out["x"] = [10 * number, 10 * number + 1]
    return Shards([h5py.File(path, "r") for path in paths])


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
