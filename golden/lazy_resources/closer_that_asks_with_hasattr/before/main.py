import argparse
import os
import tempfile

import h5py
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path):
        self.file = h5py.File(path, "r")

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return self.file["x"][index]

    def __del__(self):
        if hasattr(self, "file") and self.file is not None:
            self.file.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows.h5")
        with h5py.File(path, "w") as file:
            file["x"] = [5, 7, 9, 11]
        rows = Rows(path)
        loader = DataLoader(
            rows,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        print("RESULT", [batch.tolist() for batch in loader])
        del loader, rows


if __name__ == "__main__":
    main()
