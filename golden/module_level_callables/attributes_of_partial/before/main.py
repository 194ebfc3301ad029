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


class Keyed(Rows):
    def __getitem__(self, index):
        return self.transform(**{k: self.rows[index] for k in self.transform.keys})


def run(args, by=3):
    def fn(a, b):
        return a + b * by

    fn.keys = ("a", "b")
    return list(DataLoader(Keyed([1, 2], fn), batch_size=2, **options(args)))


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--workers", type=int, default=0)
    ap.add_argument("--start-method", default="spawn")
    print("RESULT", run(ap.parse_args()))
