import argparse
import functools
import os
import tempfile

import lmdb
import torch
from torch.utils.data import DataLoader, Dataset


class Client:
    def __init__(self, paths, keys, readonly=True, lock=False, **kwargs):
        self.paths = [str(path) for path in paths]
        self.keys = keys
        self.readonly = readonly
        self.lock = lock
        self.kwargs = kwargs
        self._paths = {}
        for key, path in zip(keys, self.paths):
            self._paths[key] = path

    @functools.cached_property
    def _client(self):
        return {key: lmdb.open(path, readonly=self.readonly, lock=self.lock, **self.kwargs) for key, path in self._paths.items()}

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("_client", None)  # each process opens its own
        return state

    def get(self, name, key):
        with self._client[key].begin(write=False) as txn:
            return int(txn.get(name.encode()))


class Pairs(Dataset):
    def __init__(self, client):
        self.client = client

    def __len__(self):
        return 6

    def __getitem__(self, index):
        low, high = (self.client.get(str(index), key) for key in ("low", "high"))
        return torch.tensor(low * high)


def write(path, factor):
    with lmdb.open(path) as env, env.begin(write=True) as txn:
        for index in range(6):
            txn.put(str(index).encode(), str(index * factor).encode())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("low", "high")]
        for factor, path in enumerate(paths, 2):
            write(path, factor)
        pairs = Pairs(Client(paths, ["low", "high"], readahead=False))
        method = args.start_method if args.workers else None
        loader = DataLoader(pairs, 2, num_workers=args.workers, multiprocessing_context=method)
        print("RESULT", sum(int(batch.sum()) for batch in loader))


if __name__ == "__main__":
    main()
