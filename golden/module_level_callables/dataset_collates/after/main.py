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


class Mixin:
    @property
    def collate(self):
        return self.pad

    def pad(self, rows):
        return [r + self.by for r in rows]


def _collate(rows, *, by):
    return [r - by for r in rows]


class Data(Mixin, Rows):
    by = 5

    def get_collate(self):
        by = self.by

        return functools.partial(_collate, by=by)


def run(args):
    data = Data([1, 2, 3])
    out = []
    for fn in (data.collate, data.get_collate()):
        out.append(list(DataLoader(data, batch_size=2, collate_fn=fn, **options(args))))
    return out


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--workers", type=int, default=0)
    ap.add_argument("--start-method", default="spawn")
    print("RESULT", run(ap.parse_args()))
