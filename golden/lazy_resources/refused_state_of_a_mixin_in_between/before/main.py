import argparse
import os
import pathlib
import gzip

from torch.utils.data import DataLoader, Dataset


class Stateful:
    def __getstate__(self):
        state = self.__dict__.copy()
        state["cache"] = {}
        return state


class Store(Dataset):
    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.stream = gzip.open(str(self.path), "rb")

    def close(self):
        self.stream.close()

    def __del__(self):
        self.close()



class Rows(Stateful, Store):
    def __init__(self, path):
        super().__init__(path)
        self.cache = {}
        self.scale = 2
        self.keys = list(range(self.stream.seek(0, 2) // 4 - 1))

    def __getstate__(self):
        state = super().__getstate__()
        state["sent"] = True
        return state

    def __len__(self):
        return 6

    def __getitem__(self, index):
        self.stream.seek(4 + 4 * (index))
        value = int.from_bytes(self.stream.read(4), "little")
        return value * self.scale


def fill(path, values):
    with gzip.GzipFile(path, "wb", mtime=0) as out:
        out.write(len(values).to_bytes(4, "little"))
        for value in values:
            out.write(value.to_bytes(4, "little"))


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
    seen.append(rows.stream.seek(0, 2) // 4 - 1)
    loader = DataLoader(rows, batch_size=2, num_workers=args.workers,
                        multiprocessing_context=args.start_method if args.workers else None)
    out = []
    for _ in range(1):
        out.append([batch.tolist() for batch in loader])
    seen.append(rows.keys)
    seen.append(len(rows))
    print("RESULT", out, seen)


if __name__ == "__main__":
    main()
