import argparse
import tempfile

import torch
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.is_open = False
        self.first = self.opened().read(1)[0]

    def opened(self):
        if not self.is_open:
            self.file = open(self.path, "rb")
            self.is_open = True
        return self.file

    def __len__(self):
        return 6

    def __getitem__(self, index):
        file = self.opened()
        file.seek(index)
        return torch.tensor([file.read(1)[0], self.first])


def fill(folder):
    paths = []
    for name in ("first", "second"):
        path = f"{folder}/{name}"
        with open(path, "wb") as file:
            file.write(bytes(range(6)))
        paths.append(path)
    return paths


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = Rows(fill(folder)[0])
        shown = sorted(vars(rows))
        loader = DataLoader(
            rows,
            batch_size=3,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        print("RESULT", [batch.tolist() for _ in range(2) for batch in loader], shown)


if __name__ == "__main__":
    main()
