import argparse
import functools
import os
import tempfile

import lmdb
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path, name):
        self.path = path
        self.name = name
        with self.env.begin(db=self.rows) as txn:
            self.count = txn.stat()["entries"]
        self.first = self.__getitem__(0)
        # each worker process opens its own
        del self.rows
        self.env.close()
        del self.env

    @functools.cached_property
    def env(self):
        return lmdb.open(self.path, readonly=True, max_dbs=2, lock=False)

    @functools.cached_property
    def rows(self):
        return self.env.open_db(self.name.encode())

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("env", None)  # each process opens its own
        state.pop("rows", None)
        return state

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        with self.env.begin(db=self.rows) as txn:
            return int(txn.get(b"%d" % index))


def fill(path):
    env = lmdb.open(path, max_dbs=2, map_size=2**20)
    rows = env.open_db(b"rows")
    with env.begin(write=True) as txn:
        for index in range(4):
            txn.put(b"%d" % index, b"%d" % (10 * index + 1), db=rows)
    env.close()


def run(options):
    found = []
    for number in range(2):
        options.path = os.path.join(options.root, f"rows{number}")
        fill(options.path)
        data = Rows(options.path, "rows")
        context = options.start_method if options.workers else None
        loader = DataLoader(
            data, batch_size=2, num_workers=options.workers, multiprocessing_context=context
        )
        found.append([data.first, [batch.tolist() for batch in loader]])
    print("RESULT", found)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as options.root:
        run(options)
