import argparse
import tempfile

import torch
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, paths):
        self.paths = list(paths)
        self.files = []
        for path in self.paths:
            self.files.append(open(path, "rb"))

    def __repr__(self):
        return f"Rows({', '.join(sorted(vars(self)))})"

    def __len__(self):
        return 6

    def __getitem__(self, index):
        file = self.files[index % 2]
        file.seek(index)
        return torch.tensor([file.read(1)[0], len(repr(self))])


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
