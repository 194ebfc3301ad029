import argparse
import os
import tempfile

import h5py
import torch
from torch.utils.data import DataLoader, Dataset


class Signals(Dataset):
    def __init__(self, file):
        self.file = file
        self.count = len(file["signals"])

    def close(self):
        if self.file is not None:
            self.file.close()
            self.file = None

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return torch.from_numpy(self.file["signals"][index])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    options = {"num_workers": args.workers}
    if args.workers:
        options["multiprocessing_context"] = args.start_method
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "signals.h5")
        with h5py.File(path, "w") as file:
            file["signals"] = [[n, n * n] for n in range(4)]
        signals = Signals(h5py.File(path, "r"))
        print("RESULT", [batch.tolist() for batch in DataLoader(signals, batch_size=2, **options)])
        signals.close()
        signals.close()


if __name__ == "__main__":
    main()
