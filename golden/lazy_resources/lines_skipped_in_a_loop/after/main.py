import argparse
import csv
import os
import tempfile

from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Rows(IterableDataset):
    def __init__(self, path, skip=2):
        self._file_by_pid = {}
        self._rows_by_pid = {}
        self.path = path
        self.skip = skip
        self.file = open(path, newline="")
        self.rows = csv.reader(self.file)
        for _ in range(skip):
            next(self.rows)

    def _open_file(self):
        self.file = open(self.path, newline="")
        self.rows = csv.reader(self.file)
        for _ in range(self.skip):
            next(self.rows)

    @property
    def file(self):
        if os.getpid() not in self._file_by_pid:
            self._open_file()
        return self._file_by_pid[os.getpid()]

    @file.setter
    def file(self, file):
        self._file_by_pid[os.getpid()] = file

    @property
    def rows(self):
        if os.getpid() not in self._rows_by_pid:
            self._open_file()
        return self._rows_by_pid[os.getpid()]

    @rows.setter
    def rows(self, rows):
        self._rows_by_pid[os.getpid()] = rows

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_file_by_pid"] = {}  # each process opens its own
        state["_rows_by_pid"] = {}
        return state

    def __iter__(self):
        info = get_worker_info()
        for number, row in enumerate(self.rows):
            if info is None or number % info.num_workers == info.id:
                yield float(row[1])


def build(root):
    path = os.path.join(root, "rows.csv")
    with open(path, "w") as out:
        out.write("export\nname,value\n")
        out.writelines(f"n{number},{number}\n" for number in range(5))
    return Rows(path)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        loader = DataLoader(
            build(root),
            batch_size=1,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        print("RESULT", sorted(batch.tolist() for batch in loader))


if __name__ == "__main__":
    main()
