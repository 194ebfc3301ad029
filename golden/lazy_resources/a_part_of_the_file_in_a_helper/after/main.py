import argparse
import functools
import tempfile

import h5py
from torch.utils.data import DataLoader, Dataset


class Column:
    def __init__(self, data, scale):
        self.data = data
        self.scale = scale

    def __getitem__(self, index):
        return int(self.data[index]) * self.scale


class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        with h5py.File(self.path, "r") as file:
            self.size = len(file["x"])

    @functools.cached_property
    def file(self):
        return h5py.File(self.path, "r")

    @functools.cached_property
    def column(self):
        return Column(self.file["x"], scale=2)

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("file", None)  # each process opens its own
        state.pop("column", None)
        return state

    def __len__(self):
        return self.size

    def __getitem__(self, index):
        return self.column[index]


def build(folder):
    with h5py.File(f"{folder}/a", "w") as file:
        file["x"] = [i * i for i in range(6)]
        file["y"] = [i for i in range(6)]
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
