import argparse
import functools
import os
import tempfile
import zipfile

from torch.utils.data import DataLoader, Dataset


def record_of(file, index, size=4):
    file.seek(size * index)
    return file.read(size)


class Notes(Dataset):
    def __init__(self, archive, table, count):
        self.count = count
        self.archive = archive
        self.table = table

    @functools.cached_property
    def read(self):
        return zipfile.ZipFile(self.archive).read

    @functools.cached_property
    def record(self):
        file = open(self.table, "rb")
        return functools.partial(record_of, file, size=2)

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("read", None)  # each process opens its own
        state.pop("record", None)
        return state

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return sum(self.read(str(index))) + sum(self.record(index))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--start-method", default=None)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        archive, table = os.path.join(folder, "notes.zip"), os.path.join(folder, "table")
        with zipfile.ZipFile(archive, "w") as notes:
            for index in range(6):
                notes.writestr(str(index), bytes([index] * 3))
        with open(table, "wb") as file:
            file.write(bytes(range(12)))
        loader = DataLoader(
            Notes(archive, table, 6),
            batch_size=2,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
