import argparse
import csv
import functools
import tempfile

from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Items(IterableDataset):
    def __init__(self, path):
        self.path = path
        with open(self.path, newline="") as file:
            reader = csv.DictReader(file)
            if "value" not in reader.fieldnames:
                raise ValueError("no values")

    @functools.cached_property
    def _opened(self):
        file = open(self.path, newline="")
        reader = csv.DictReader(file)
        reader.fieldnames  # read now, from the first line
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
        self.file.seek(0)
        next(self.file)
        info = get_worker_info()
        rank, world = (info.id, info.num_workers) if info is not None else (0, 1)
        for number, row in enumerate(self.reader):
            if number % world == rank:
                yield int(row["value"])


def make(path):
    with open(path, "w") as file:
        file.write("id,value\n")
        file.writelines(f"{i},{i * i}\n" for i in range(6))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/data"
        make(path)
        context = args.start_method if args.workers else None
        dataset = Items(path)
        loader = DataLoader(
            dataset, batch_size=3, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", sorted(int(x) for _ in range(2) for batch in loader for x in batch))


if __name__ == "__main__":
    main()
