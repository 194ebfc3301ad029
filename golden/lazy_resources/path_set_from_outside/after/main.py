import argparse
import functools
import tempfile

import h5py
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path, key):
        self.path = path
        self.key = key
        self._path = self.path
        self._key = key

    @functools.cached_property
    def file(self):
        return h5py.File(self._path, "r")

    @functools.cached_property
    def data(self):
        return self.file[self._key]

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("file", None)  # each process opens its own
        state.pop("data", None)
        return state

    def __len__(self):
        return 6

    def __getitem__(self, index):
        return int(self.data[index])


def build(folder):
    with h5py.File(f"{folder}/a", "w") as file:
        file["x"] = [i * i for i in range(6)]
    rows = Rows(f"{folder}/a", "x")
    rows.path = "somewhere else"
    rows.key = "other"
    return rows


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
