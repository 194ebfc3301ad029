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


def _one(v, *, by):
    return v + by


def two(v):
    return v * 2


def _encode(row, *, table):
    return table[row[0]](row[1])


def run(args, by=3):
    table = {}

    table["i"] = functools.partial(_one, by=by)
    table["s"] = two

    encode = functools.partial(_encode, table=table)

    return list(DataLoader(Rows([("i", 1), ("s", "x")], encode), batch_size=1, **options(args)))


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--workers", type=int, default=0)
    ap.add_argument("--start-method", default="spawn")
    print("RESULT", run(ap.parse_args()))
