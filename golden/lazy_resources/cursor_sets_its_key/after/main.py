import argparse
import functools
import os
import tempfile

import lmdb
import torch
from torch.utils.data import DataLoader, Dataset


class LmdbTokens(Dataset):
    def __init__(self, root):
        self.root = root
        with lmdb.open(self.root, readonly=True, lock=False) as env:
            with env.begin(write=False) as txn:
                self.length = txn.stat()["entries"]

    @functools.cached_property
    def env(self):
        # the environment is read only
        return lmdb.open(self.root, readonly=True, lock=False)

    @functools.cached_property
    def txn(self):
        return self.env.begin(write=False)

    @functools.cached_property
    def cursor(self):
        return self.txn.cursor()

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("env", None)  # each process opens its own
        state.pop("txn", None)
        state.pop("cursor", None)
        return state

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        self.cursor.set_key(b"%04d" % index)
        value = self.cursor.value()
        again = self.txn.get(b"%04d" % index)
        return torch.tensor([float(value), float(again)])


def build(root):
    path = os.path.join(root, "tokens")
    env = lmdb.open(path, map_size=1 << 20)
    with env.begin(write=True) as txn:
        for i in range(8):
            txn.put(b"%04d" % i, b"%d" % (i * i))
    env.close()
    return LmdbTokens(path)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        dataset = build(root)
        options = {"num_workers": args.workers}
        if args.workers:
            options["multiprocessing_context"] = args.start_method
        loader = DataLoader(dataset, batch_size=2, **options)
        total = []
        for epoch in range(2):
            for batch in loader:
                total.append(batch.double().sum().item())
        print("RESULT", len(total), round(sum(total), 3), sorted(total)[:3])


if __name__ == "__main__":
    main()
