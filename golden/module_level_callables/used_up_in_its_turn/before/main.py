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


def run(args):
    out = []
    for i in range(3):
        loader = DataLoader(Rows([1, 2, 3], lambda x: x + i), batch_size=2, **options(args))
        out.append([b for b in loader])
        loader = DataLoader(Rows([4, 5], lambda x: x * i), batch_size=1, **options(args))
        for number, batch in enumerate(loader):
            out.append((number, batch))
    return out


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--workers", type=int, default=0)
    ap.add_argument("--start-method", default="spawn")
    print("RESULT", run(ap.parse_args()))
