import argparse
import functools
import tempfile

import h5py
from torch.utils.data import DataLoader, Dataset


class Reader:
    """A wrapper that refuses to be pickled."""

    def __init__(self, path, key):
        self._handle = h5py.File(path, "r")
        self._key = key

    def __getstate__(self):
        raise TypeError("cannot pickle a reader")

    def __len__(self):
        return self._handle[self._key].shape[0]

    def read(self, index):
        return int(self._handle[self._key][index])


class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        reader = Reader(self.path, key="x")
        self._length = len(reader)

    @functools.cached_property
    def reader(self):
        return Reader(self.path, key="x")

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("reader", None)  # each process opens its own
        return state

    def __len__(self):
        return self._length

    def __getitem__(self, index):
        return self.reader.read(index)


def build(folder):
    with h5py.File(f"{folder}/a", "w") as file:
        file["x"] = [i * i for i in range(6)]
    return Rows(f"{folder}/a")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        context = args.start_method if args.workers else None
        dataset = build(folder)
        loader = DataLoader(
            dataset, batch_size=2, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", len(dataset), [batch.tolist() for _ in range(2) for batch in loader])


if __name__ == "__main__":
    main()
