import argparse
import functools
import os
import tempfile
import zipfile

from torch.utils.data import DataLoader, Dataset


class Pages(Dataset):
    def __init__(self, path):
        self._path = path
        self._archive_path = self._path

    @functools.cached_property
    def archive(self):
        return zipfile.ZipFile(self._archive_path)

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("archive", None)  # each process opens its own
        return state

    @property
    def path(self):
        return self._path

    @path.setter
    def path(self, value):
        self._path = os.path.abspath(value)

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return self.archive.read(f"{index}")[0]


def pack(path, factor):
    with zipfile.ZipFile(path, "w") as out:
        for n in range(4):
            out.writestr(f"{n}", bytes([n * factor]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    with tempfile.TemporaryDirectory() as root:
        first, second = os.path.join(root, "a.zip"), os.path.join(root, "b.zip")
        pack(first, 1)
        pack(second, 10)
        pages = Pages(first)
        pages.path = second  # where the next run will look
        loader = DataLoader(
            pages, batch_size=2, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", os.path.basename(pages.path), [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
