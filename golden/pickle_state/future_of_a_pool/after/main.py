import argparse
import concurrent.futures
import os
import tempfile

import numpy as np
from torch.utils.data import DataLoader, Dataset


def read(path):
    return np.load(path)


class Prefetched(Dataset):
    def __init__(self, folder):
        self.path = os.path.join(folder, "x.npy")
        self._pool_by_pid = {}
        self._pending_by_pid = {os.getpid(): self.pool.submit(read, self.path)}

    @property
    def pool(self):
        pid = os.getpid()
        if pid not in self._pool_by_pid:
            self._pool_by_pid[pid] = concurrent.futures.ThreadPoolExecutor(max_workers=1)
        return self._pool_by_pid[pid]

    @property
    def pending(self):
        pid = os.getpid()
        if pid not in self._pending_by_pid:
            self._pending_by_pid[pid] = self.pool.submit(read, self.path)
        return self._pending_by_pid[pid]

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_pool_by_pid"] = {}  # each process opens its own
        state["_pending_by_pid"] = {}
        return state

    def __len__(self):
        return 10

    def __getitem__(self, i):
        return self.pending.result()[i]


def prepare(folder):
    np.save(os.path.join(folder, "x.npy"), np.arange(10.0))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        dataset = Prefetched(folder)
        loader = DataLoader(
            dataset,
            batch_size=4,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        rows = [repr(batch) for _ in range(2) for batch in loader]
    print("RESULT", rows)
