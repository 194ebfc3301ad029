import argparse
import os
import tempfile

import h5py
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.file = h5py.File(path, "r") \
            if os.path.getsize(path) > 0 else None

    def __len__(self):
        return 6

    def __getitem__(self, index):
        return int(self.file["rows"][index])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows.h5")
        with h5py.File(path, "w") as file:
            file["rows"] = list(range(6))
        loader = DataLoader(
            Rows(path),
            batch_size=2,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        print("RESULT", [batch.tolist() for batch in loader])
