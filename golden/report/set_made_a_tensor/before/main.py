import argparse

import torch
from torch.utils.data import DataLoader, Dataset


def to_tensor(tags):
    return torch.tensor(sorted(tags))


class Tags(Dataset):
    def __init__(self, transform=None, test=False):
        self.transform = transform
        self.test = test

    def __len__(self):
        return 2

    def __getitem__(self, i):
        tags = frozenset({i})
        if self.transform is not None:
            tags = self.transform(tags)
        if self.test:
            return tags, None
        target = None
        if not self.test:
            target = i
        return tags, target


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    print("RESULT", len(list(DataLoader(Tags(to_tensor), num_workers=args.workers, multiprocessing_context=args.start_method if args.workers else None))))


if __name__ == "__main__":
    main()
