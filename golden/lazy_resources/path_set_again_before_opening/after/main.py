import argparse
import os
import mmap

from torch.utils.data import DataLoader, Dataset


def open_mapped(path):
    with open(path, "rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        source = self.path
        self.path = "kept for logs"
        self.scale = 2
        mapped = open_mapped(source)
        self.source = source
        self._mapped_by_pid = {os.getpid(): mapped}
        self.length = len(self.mapped)

    @property
    def mapped(self):
        pid = os.getpid()
        if pid not in self._mapped_by_pid:
            self._mapped_by_pid[pid] = open_mapped(self.source)
        return self._mapped_by_pid[pid]

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_mapped_by_pid"] = {}  # each process opens its own
        return state

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        value = self.mapped[index]
        return value * self.scale


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
    seen = []
    rows = Rows(path)
    seen.append(rows[0])
    loader = DataLoader(rows, batch_size=2, num_workers=args.workers,
                        multiprocessing_context=args.start_method if args.workers else None)
    out = []
    for _ in range(1):
        out.append([batch.tolist() for batch in loader])
    seen.append(rows.length)
    seen.append(rows[2])
    print("RESULT", out, seen)


if __name__ == "__main__":
    main()
