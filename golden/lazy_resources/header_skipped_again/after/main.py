import argparse
import csv
import functools
import os
import random
import tempfile

import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class TableStream(IterableDataset):
    """Streams a large table; worker k takes each n-th row."""

    def __init__(self, path, columns):
        super().__init__()
        self.path = path
        with open(self.path, newline="", encoding="utf-8") as file:
            reader = csv.reader(file, delimiter=";")
            self.header = next(reader)
        self.take = [self.header.index(name) for name in columns]

    @functools.cached_property
    def _opened(self):
        file = open(self.path, newline="", encoding="utf-8")
        reader = csv.reader(file, delimiter=";")
        next(reader)
        return file, reader

    @property
    def file(self):
        return self._opened[0]

    @property
    def reader(self):
        return self._opened[1]

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("_opened", None)  # each process opens its own
        return state

    def __iter__(self):
        info = get_worker_info()
        step, offset = (info.num_workers, info.id) if info else (1, 0)
        for number, row in enumerate(self.reader):
            if number % step == offset:
                yield torch.tensor([float(row[k]) for k in self.take])
        self.rewind()

    def rewind(self):
        self.file.seek(0)
        next(self.reader)


def write_table(path):
    rng = random.Random(11)
    with open(path, "w", newline="", encoding="utf-8") as out:
        table = csv.writer(out, delimiter=";")
        table.writerow(["id", "age", "weight", "note"])
        for i in range(1500):
            table.writerow([i, rng.randrange(20, 80), rng.randrange(40, 120), "x" * rng.randrange(30)])


if __name__ == "__main__":
    cli = argparse.ArgumentParser()
    cli.add_argument("--workers", type=int, default=0)
    cli.add_argument("--start-method", default="spawn")
    args = cli.parse_args()
    with tempfile.TemporaryDirectory() as tmp:
        path = os.path.join(tmp, "patients.csv")
        write_table(path)
        stream = TableStream(path, ["id", "weight"])
        print("columns:", ", ".join(stream.header))
        loader = DataLoader(stream, batch_size=50, num_workers=args.workers,
                            multiprocessing_context=args.start_method if args.workers else None)
        totals = []
        for epoch in range(2):
            rows = sorted(tuple(row) for batch in loader for row in batch.tolist())
            totals.append((len(rows), sum(i * w for i, w in rows)))
    print("RESULT", totals)
