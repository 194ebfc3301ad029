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


import inspect


class Apply(Dataset):
    def __init__(self, rows, fn):
        self.rows = rows
        self.fn = fn
        self.names = inspect.signature(fn).parameters

    def __len__(self):
        return len(self.rows)

    def __getstate__(self):
        return {"rows": self.rows, "fn": self.fn, "names": list(self.names)}

    def __getitem__(self, index):
        return self.fn(**{k: self.rows[index][k] for k in self.names})


def run(args):
    return list(DataLoader(Apply([{"a": i, "b": 2} for i in range(3)], lambda b, a: a - b), batch_size=2, **options(args)))


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--workers", type=int, default=0)
    ap.add_argument("--start-method", default="spawn")
    print("RESULT", run(ap.parse_args()))
