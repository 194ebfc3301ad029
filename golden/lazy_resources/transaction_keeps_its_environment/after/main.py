import argparse
import os
import tempfile

import lmdb
from torch.utils.data import DataLoader, Dataset


class Items(Dataset):
    def __init__(self, root):
        self.root = root
        self._txn_by_pid = {}

        self.squares = sum(self[i] for i in range(3))

    @property
    def txn(self):
        pid = os.getpid()
        if pid not in self._txn_by_pid:
            # no process can open its own while it holds its parent's
            self._txn_by_pid.clear()
            env = lmdb.open(self.root, subdir=False, readonly=True, lock=False)
            self._txn_by_pid[pid] = env.begin()
        return self._txn_by_pid[pid]

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_txn_by_pid"] = {}  # each process opens its own
        return state

    def __len__(self):
        return self.txn.stat()["entries"]

    def __getitem__(self, index):
        return int(self.txn.get(b"%d" % index))


def make(path):
    env = lmdb.open(path, subdir=False)
    with env.begin(write=True) as txn:
        for i in range(6):
            txn.put(b"%d" % i, b"%d" % (i * i))
    env.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/data"
        make(path)
        context = args.start_method if args.workers else None
        dataset = Items(path)
        loader = DataLoader(
            dataset, batch_size=3, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", dataset.squares, [batch.tolist() for _ in range(2) for batch in loader])


if __name__ == "__main__":
    main()
