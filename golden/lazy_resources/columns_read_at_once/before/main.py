import argparse
import csv
import itertools
import tempfile
from pathlib import Path

from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Table(IterableDataset):
    def __init__(self, path, delimiter=";"):
        super().__init__()
        self.path = path
        self.delimiter = delimiter
        self.file = open(path, newline="")
        self.reader = csv.DictReader(self.file, delimiter=delimiter)
        self.columns = list(self.reader.fieldnames)

    def __iter__(self):
        info = get_worker_info()
        start, step = (0, 1) if info is None else (info.id, info.num_workers)
        for row in itertools.islice(self.reader, start, None, step):
            yield sum(float(row[column]) for column in self.columns)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    options = {"batch_size": 2, "num_workers": args.workers, "multiprocessing_context": context}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        path.write_text("a;b\n" + "".join(f"{n};{n * n}\n" for n in range(9)))
        loader = DataLoader(Table(path), **options)
        print("RESULT", sorted(value for batch in loader for value in batch.tolist()))
