import argparse
import tempfile

import h5py
import torch
from torch.utils.data import DataLoader, Dataset


class Items(Dataset):
    def __init__(self, path):
        self.file = None
        self.scale = 1
        if path is None:
            return
        # the scores are stored halved
        self.scale = 2
        self.file = h5py.File(path, "r")

    def __len__(self):
        return 6

    def __getitem__(self, index):
        if self.file is None:
            return torch.tensor([index, 0])
        return self.file["items"][str(index)][:] * self.scale


def make(path):
    with h5py.File(path, "w") as file:
        for i in range(6):
            file[f"items/{i}"] = [i, i * i]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/data"
        make(path)
        context = args.start_method if args.workers else None
        datasets = [Items(None), Items(path)]
        loaders = [
            DataLoader(
                dataset, batch_size=3, num_workers=args.workers, multiprocessing_context=context
            )
            for dataset in datasets
        ]
        print("RESULT", [batch.tolist() for loader in loaders for batch in loader])


if __name__ == "__main__":
    main()
