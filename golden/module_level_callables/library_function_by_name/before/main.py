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


import os
import zlib


def run(args, root="/x"):
    crc = 3
    a = list(DataLoader(Rows(["a"], lambda p: os.path.join(root, p)), batch_size=2, **options(args)))
    return a, list(DataLoader(Rows([b"a"], lambda p: zlib.adler32(p, crc)), batch_size=2, **options(args)))


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--workers", type=int, default=0)
    ap.add_argument("--start-method", default="spawn")
    print("RESULT", run(ap.parse_args()))
