import argparse
import tempfile
import zipfile

import torch
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        if (archive := zipfile.ZipFile(self.path)) is not None:
            self.archive = archive
        self.names = sorted(self.archive.namelist())

    def __len__(self):
        return len(self.archive.namelist())

    def __getitem__(self, index):
        return torch.tensor(list(self.archive.read(self.names[index])))


def fill(folder):
    with zipfile.ZipFile(f"{folder}/rows.zip", "w") as out:
        for n in range(6):
            out.writestr(f"{n}", bytes([n, n * 2]))
    return f"{folder}/rows.zip"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = Rows(fill(folder))
        loader = DataLoader(
            rows,
            batch_size=3,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        print("RESULT", [batch.tolist() for _ in range(2) for batch in loader])


if __name__ == "__main__":
    main()
