import argparse
import os
import tempfile
import zipfile

import torch
from torch.utils.data import DataLoader, Dataset


class Years(Dataset):
    """One archive per year, all open while the dataset is in use."""

    def __init__(self, root, years, lead=1):
        self.root = root
        self.lead = lead
        self.files = {}
        self.index = []
        for each in sorted(years):
            self._add(each, mode="r")

    def _add(self, year, mode, suffix=".zip"):
        # members are numbered from 0
        self.files[year] = zipfile.ZipFile(os.path.join(self.root, str(year) + suffix), mode)
        members = self.files[year].namelist()
        self.index += [(year, name) for name in members[: len(members) - self.lead]]

    def __len__(self):
        return len(self.index)

    def __getitem__(self, i):
        year, name = self.index[i]
        return torch.tensor(list(self.files[year].read(name)))

    def close(self):
        for file in self.files.values():
            file.close()


def write(root, year):
    with zipfile.ZipFile(os.path.join(root, f"{year}.zip"), "w") as out:
        for number in range(4):
            out.writestr(str(number), bytes([year % 100, number]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        for year in (2001, 2002):
            write(root, year)
        dataset = Years(root, [2002, 2001])
        loader = DataLoader(
            dataset,
            batch_size=2,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        print("RESULT", [batch.tolist() for batch in loader])
        dataset.close()


if __name__ == "__main__":
    main()
