import argparse
import os
import tempfile
from functools import cached_property

import lmdb
import torch
from torch.utils.data import DataLoader, Dataset


class Store:
    def __init__(self, root):
        self.root = root

    @cached_property
    def env(self):
        return lmdb.open(self.root, readonly=True, lock=False)

    @cached_property
    def keys(self):
        with self.env.begin() as txn:
            return [key.decode() for key in txn.cursor().iternext(values=False)]

    @property
    def is_open(self):
        return "env" in self.__dict__

    def close(self):
        if self.is_open:
            self.env.close()
            del self.__dict__["env"]

    def __len__(self):
        return self.env.stat()["entries"]

    def read(self, key):
        with self.env.begin() as txn:
            return txn.get(key.encode())


class Passages(Dataset):
    def __init__(self, store):
        self.store = store
        self.ids = [key for key in store.keys if key != "b"]

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, index):
        return torch.tensor(len(self.store.read(self.ids[index])))


def main(args):
    with tempfile.TemporaryDirectory() as folder:
        root = os.path.join(folder, "store")
        with lmdb.open(root, map_size=1 << 20) as env, env.begin(write=True) as txn:
            for key in "abcde":
                txn.put(key.encode(), key.encode() * (ord(key) - 90))
        store = Store(root)
        seen = [store.is_open]
        passages = Passages(store)
        for _ in range(2):
            seen += [store.is_open, [batch.tolist() for batch in loader(passages, args)]]
            store.close()
            seen += [store.is_open, len(store)]
        store.close()
    print("RESULT", seen, store.is_open)


def loader(dataset, args):
    return DataLoader(
        dataset,
        batch_size=2,
        num_workers=args.workers,
        multiprocessing_context=args.start_method if args.workers else None,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    main(parser.parse_args())
