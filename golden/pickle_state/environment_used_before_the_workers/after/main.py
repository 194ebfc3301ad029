import argparse
import os
import tempfile

import lmdb
import torch
from torch.utils.data import DataLoader, Dataset


class OnDemand(Dataset):
    def __init__(self, path, length):
        self._env_by_pid = {}
        self.path = path
        self.length = length

    @property
    def env(self):
        if os.getpid() not in self._env_by_pid:
            # no process can open its own while it holds its parent's
            self._env_by_pid.clear()
        return self._env_by_pid.get(os.getpid())

    @env.setter
    def env(self, env):
        self._env_by_pid[os.getpid()] = env

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_env_by_pid"] = {}  # each process opens its own
        return state

    def _init_db(self):
        self.env = lmdb.open(self.path, readonly=True, lock=False)

    def __len__(self):
        return self.length

    def __getitem__(self, i):
        if self.env is None:
            self._init_db()
        with self.env.begin() as txn:
            return torch.tensor(float(txn.get(b"%04d" % i)))


def build(root):
    path = os.path.join(root, "db")
    env = lmdb.open(path, map_size=1 << 20)
    with env.begin(write=True) as txn:
        for i in range(8):
            txn.put(b"%04d" % i, b"%d" % (i * i))
    env.close()
    dataset = OnDemand(path, 8)
    print("first", dataset[0])
    return dataset


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
