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


class Batcher:
    def __init__(self, args):
        self.args = args
        self.__fill = 7

    def loader(self, rows):
        def pad(row):
            return row + [self.__fill]

        return DataLoader(Rows(rows, pad), batch_size=2, **options(self.args))


def run(args):
    return list(Batcher(args).loader([[1], [2], [3]]))


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--workers", type=int, default=0)
    ap.add_argument("--start-method", default="spawn")
    print("RESULT", run(ap.parse_args()))
