import argparse
import pickle
import tempfile

import lmdb
import torch
from torch.utils.data import DataLoader, Dataset


class KeyValueDataset(Dataset):
    def __init__(self, path: str, prefix: bytes = b""):
        self.path = path
        self.prefix = prefix
        self._env = None
        self._txn = None
        self._cursor = None
        self._keys = self.keys()

    def _ensure(self):
        if self._env is None:
            self._env = lmdb.open(self.path, readonly=True, lock=False)
            self._txn = self._env.begin(buffers=False)
            self._cursor = self._txn.cursor()

    def keys(self):
        self._ensure()
        found = []
        if self._cursor.set_range(self.prefix):
            for key in self._cursor.iternext(keys=True, values=False):
                if not key.startswith(self.prefix):
                    break
                found.append(key)
        return found

    def __len__(self):
        return len(self._keys)

    def __getitem__(self, index):
        self._ensure()
        return torch.tensor(pickle.loads(self._txn.get(self._keys[index])))

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_env"] = None  # environments must not cross processes
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)


def fill(path):
    env = lmdb.open(path, map_size=2**20)
    with env.begin(write=True) as txn:
        for i in range(6):
            txn.put(b"train/%02d" % i, pickle.dumps([i, -i]))
        txn.put(b"val/00", pickle.dumps([99, 99]))
    env.close()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--workers", type=int, default=0)
    p.add_argument("--start-method", default="spawn")
    args = p.parse_args()
    with tempfile.TemporaryDirectory() as tmp:
        fill(tmp)
        dataset = KeyValueDataset(tmp, b"train/")
        loader = DataLoader(dataset, batch_size=4, num_workers=args.workers,
                            multiprocessing_context=args.start_method if args.workers else None)
        out = [b.tolist() for b in loader]
        n = len(dataset.keys())
    print("RESULT", n, out)


if __name__ == "__main__":
    main()
