import argparse
import os

import h5py
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self):
        self.file = h5py.File(Store.place, "r")

    def __len__(self):
        return 6

    def __getitem__(self, index):
        return int(self.file["x"][index])


def fill(path, values):
    with h5py.File(path, "w") as out:
        out["x"] = list(values)


class Store:
    place = None

    @classmethod
    def use(cls, place):
        cls.place = place


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    os.makedirs("data")
    os.makedirs("spare")
    path, other = os.path.join("data", "rows"), os.path.join("spare", "rows")
    fill(path, range(6))
    fill(other, range(40, 46))
    Store.use(path)
    rows = Rows()
    Store.use(other)
    loader = DataLoader(
        rows,
        batch_size=2,
        num_workers=args.workers,
        multiprocessing_context=args.start_method if args.workers else None,
    )
    print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
