import argparse
import functools
import tempfile

import h5py
from torch.utils.data import DataLoader, Dataset


class Cache:
    def __init__(self, owner):
        self.owner = owner
        self.known = {}

    def get(self, index):
        if index not in self.known:
            self.known[index] = int(self.owner.file["x"][index])
        return self.known[index]


class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.cache = Cache(self)
        self.n = len(self.file["x"])
        self.first = self.cache.get(0)
        # each worker process opens its own
        self.file.close()
        del self.file

    @functools.cached_property
    def file(self):
        return h5py.File(self.path, "r")

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("file", None)  # each process opens its own
        return state

    def __len__(self):
        return self.n

    def __getitem__(self, index):
        return self.cache.get(index)


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
