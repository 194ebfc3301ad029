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
    def __init__(self, rows, step):
        self.rows = rows
        self.step = step

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        wanted = inspect.signature(self.step).parameters
        return self.step(**{name: self.rows[index][name] for name in wanted})


def _step(scale, a, b):
    return a * scale + b


def run(args, scale=4):
    rows = [{"a": i, "b": 2} for i in range(3)]
    return list(
        DataLoader(Apply(rows, functools.partial(_step, scale)), batch_size=2, **options(args))
    )


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--workers", type=int, default=0)
    ap.add_argument("--start-method", default="spawn")
    print("RESULT", run(ap.parse_args()))
