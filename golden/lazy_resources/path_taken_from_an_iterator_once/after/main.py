import argparse
import os
import mmap

from torch.utils.data import DataLoader, Dataset


def open_mapped(path):
    with open(path, "rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def open_store(path):
    return open_mapped(path)


class Rows(Dataset):
    def __init__(self, paths):
        self.scale = 2
        self.mapped = open_store(next(paths))
        self.loaded = []
        for index in range(6):
            self.loaded.append(self.mapped[index])
        self.mapped.close()

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("mapped", None)  # only the parent process uses it
        return state

    def __len__(self):
        return 6

    def __getitem__(self, index):
        value = self.loaded[index]
        return value * self.scale


class Doubled(Rows):
    def __getitem__(self, index):
        return super().__getitem__(index) * 2


def fill(path, values):
    with open(path, "wb") as out:
        out.write(bytes(values))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    os.makedirs("data")
    path, other = "data/first", "data/second"
    fill(path, [at * at + 1 for at in range(6)])
    fill(other, [at + 40 for at in range(6)])
    paths = iter([path, other])
    seen = []
    rows = Doubled(paths)
    loader = DataLoader(rows, batch_size=2, num_workers=args.workers,
                        multiprocessing_context=args.start_method if args.workers else None)
    out = []
    for _ in range(2):
        out.append([batch.tolist() for batch in loader])
    seen.append(len(rows))
    print("RESULT", out, seen)


if __name__ == "__main__":
    main()
