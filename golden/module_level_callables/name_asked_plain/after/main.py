import argparse
import functools

from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, rows, transform=None, **others):
        self.rows = rows
        self.transform = transform
        self.others = others

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        row = self.rows[index]
        return row if self.transform is None else self.transform(row)


def options(args):
    return {"num_workers": args.workers, "multiprocessing_context": args.start_method if args.workers else None}


def describe(f):
    return f.__name__


class Named(Rows):
    def __getitem__(self, index):
        return describe(self.transform), super().__getitem__(index)


def scaled(x):
    return x * 3


def run(args):
    return list(DataLoader(Named([1, 2, 3], scaled), batch_size=2, **options(args)))


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--workers", type=int, default=0)
    ap.add_argument("--start-method", default="spawn")
    print("RESULT", run(ap.parse_args()))
