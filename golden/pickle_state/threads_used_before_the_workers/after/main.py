import argparse
import os
import tempfile
from concurrent.futures import ThreadPoolExecutor

import torch
from torch.utils.data import DataLoader, Dataset


class Doubled(Dataset):
    def __init__(self, values, threads=2):
        self.values = values
        self.threads = threads
        self._pool_by_pid = {}

    @property
    def pool(self):
        pid = os.getpid()
        if pid not in self._pool_by_pid:
            self._pool_by_pid[pid] = ThreadPoolExecutor(max_workers=self.threads)
        return self._pool_by_pid[pid]

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_pool_by_pid"] = {}  # each process opens its own
        return state

    def __len__(self):
        return len(self.values)

    def __getitem__(self, i):
        return torch.tensor(self.pool.submit(lambda value: 2 * value, self.values[i]).result())

    def close(self):
        if os.getpid() in self._pool_by_pid:
            self.pool.shutdown()


def warm_up(dataset):
    return dataset[0]


def build(root):
    doubled = Doubled([1, 2, 3, 4])
    assert warm_up(doubled) == 2
    return doubled


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
        print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
