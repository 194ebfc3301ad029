import argparse
import contextlib
import os
import lmdb

from torch.utils.data import DataLoader, Dataset

import settings


class Rows(Dataset):
    def __init__(self):
        self.cache = {}
        self.scale = 2
        self.stack = contextlib.ExitStack()
        self._stack_store = settings.store
        self.env = self.stack.enter_context(lmdb.open(self._stack_store, readonly=True, lock=False))
        self.txn = self.env.begin()
        self.first = self[0]

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("stack", None)  # __setstate__ reopens it
        state.pop("env", None)
        state.pop("txn", None)
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.stack = contextlib.ExitStack()
        self.env = self.stack.enter_context(lmdb.open(self._stack_store, readonly=True, lock=False))
        self.txn = self.env.begin()

    def close(self):
        self.env.close()

    def __del__(self):
        self.close()

    def __len__(self):
        return self.env.stat()["entries"]

    def __getitem__(self, index):
        value = int(self.txn.get(str(index).encode()))
        return value * self.scale


def fill(path, values):
    with lmdb.open(path, map_size=1 << 20) as out, out.begin(write=True) as txn:
        for at, value in enumerate(values):
            txn.put(str(at).encode(), str(value).encode())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    os.makedirs("data")
    path, other = "data/first", "data/second"
    fill(path, [at * at + 1 for at in range(6)])
    fill(other, [at + 40 for at in range(6)])
    settings.use(path)
    seen = []
    rows = Rows()
    seen.append(sum(rows[at] for at in range(len(rows))))
    loader = DataLoader(rows, batch_size=2, num_workers=args.workers,
                        multiprocessing_context=args.start_method if args.workers else None)
    out = []
    for _ in range(2):
        out.append([batch.tolist() for batch in loader])
    seen.append(rows.first)
    print("RESULT", out, seen)


if __name__ == "__main__":
    main()
