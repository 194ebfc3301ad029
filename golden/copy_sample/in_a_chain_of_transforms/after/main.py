import argparse
import copy
import torch
from torch.utils.data import DataLoader, Dataset


class Normalize:
    def __init__(self, mean):
        self.mean = mean

    def __call__(self, sample):
        sample["x"].sub_(self.mean)
        return sample


class Compose:
    def __init__(self, transforms):
        self.transforms = transforms

    def __call__(self, sample):
        for t in self.transforms:
            sample = t(sample)
        return sample


class Rows(Dataset):
    def __init__(self, n, transform=None):
        self.rows = [{"x": torch.full((2,), float(i))} for i in range(n)]
        self.transform = transform

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        row = copy.deepcopy(self.rows[i])
        if self.transform:
            row = self.transform(row)
        return row


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    loader = DataLoader(
        Rows(4, Compose([Normalize(1.0)])),
        num_workers=args.workers,
        multiprocessing_context=args.start_method if args.workers else None,
    )
    print("RESULT", [float(b["x"].sum()) for _ in range(2) for b in loader])


if __name__ == "__main__":
    main()
