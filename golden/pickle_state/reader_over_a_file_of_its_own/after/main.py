import argparse
import csv
import functools
import gzip
import os
import tempfile

from torch.utils.data import ChainDataset, DataLoader, IterableDataset


class Clicks(IterableDataset):
    def __init__(self, path, delimiter="\t"):
        self.path = path
        self.delimiter = delimiter
        rows = self._open_rows()
        self.columns = list(rows.fieldnames)

    def _open_rows(self):
        return csv.DictReader(gzip.open(self.path, "rt", newline=""), delimiter=self.delimiter)

    @functools.cached_property
    def rows(self):
        return self._open_rows()

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("rows", None)  # each process opens its own
        return state

    def __iter__(self):
        for row in self.rows:
            yield sum(int(row[name]) for name in self.columns)


class Prices(IterableDataset):
    def __init__(self, path):
        self.path = path
        rows = csv.reader(open(self.path, newline=""))
        self.header = next(rows)

    @functools.cached_property
    def rows(self):
        rows = csv.reader(open(self.path, newline=""))
        next(rows)
        return rows

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("rows", None)  # each process opens its own
        return state

    def __iter__(self):
        for row in self.rows:
            yield int(row[self.header.index("price")])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        clicks, prices = (os.path.join(folder, name) for name in ("clicks.gz", "prices.csv"))
        with gzip.open(clicks, "wt") as file:
            file.write("user\titem\n1\t2\n3\t4\n5\t6\n")
        with open(prices, "w") as file:
            file.write("item,price\n1,20\n2,30\n")
        dataset = ChainDataset([Clicks(clicks), Prices(prices)])
        workers = min(args.workers, 1)  # each worker would read all rows
        method = args.start_method if workers else None
        loader = DataLoader(dataset, 2, num_workers=workers, multiprocessing_context=method)
        print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
