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


def encode(x):
    return x


def run(args):
    @functools.singledispatch
    def encode(value):
        return value

    @encode.register
    def _(value: int):
        return value * 10

    @encode.register(list)
    def _(value):
        # each on its own
        return [encode(v) for v in value]

    return list(DataLoader(Rows([1, [1, 2], 2.5], encode), batch_size=1, **options(args)))


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--workers", type=int, default=0)
    ap.add_argument("--start-method", default="spawn")
    print("RESULT", run(ap.parse_args()))
