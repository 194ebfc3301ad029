import argparse
import os
import tempfile

import lmdb
from torch.utils.data import DataLoader, Dataset


class Store:
    def __init__(self, path, readonly=True):
        self.path = path
        self.readonly = readonly
        self._env_by_pid = {os.getpid(): lmdb.open(path, readonly=readonly, lock=not readonly, map_size=1 << 20)}

    @property
    def env(self):
        pid = os.getpid()
        if pid not in self._env_by_pid:
            # no process can open its own while it holds its parent's
            self._env_by_pid.clear()
            self._env_by_pid[pid] = lmdb.open(self.path, readonly=self.readonly, lock=not self.readonly, map_size=1 << 20)
        return self._env_by_pid[pid]

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_env_by_pid"] = {}  # each process opens its own
        return state

    def put(self, key, value):
        with self.env.begin(write=True) as transaction:
            transaction.put(str(key).encode(), str(value).encode())

    def get(self, key):
        with self.env.begin() as transaction:
            return int(transaction.get(str(key).encode()))

    def __len__(self):
        return self.env.stat()["entries"]

    def close(self):
        if os.getpid() in self._env_by_pid:
            self.env.close()


class Rows(Dataset):
    def __init__(self, store):
        self.store = store

    def __len__(self):
        return len(self.store)

    def __getitem__(self, index):
        return self.store.get(index)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        written = Store(folder, readonly=False)
        for key in range(6):
            written.put(key, key * key)
        written.close()
        rows = Rows(Store(folder))
        loader = DataLoader(
            rows,
            batch_size=2,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        print("RESULT", rows[2], [batch.tolist() for batch in loader], len(rows))
        rows.store.close()


if __name__ == "__main__":
    main()
