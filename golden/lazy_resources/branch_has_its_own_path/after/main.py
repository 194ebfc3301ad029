import argparse
import functools
import os
import tempfile

import lmdb
import torch
from torch.utils.data import DataLoader, Dataset

REMOTE = False


class Lmdb(Dataset):
    def __init__(self, root, voc_type, num_samples=5):
        super(Lmdb, self).__init__()
        self.root = root

        if REMOTE:
            name = os.path.basename(root)
            cache_url = "/cache/%s" % name
            if not os.path.exists(cache_url):
                os.makedirs(cache_url)
            self.cache_url = cache_url

        with self._open_env() as env, env.begin() as txn:
            assert env is not None, "cannot create lmdb from %s" % root

            self.voc_type = voc_type
            self.nSamples = int(txn.get(b"num-samples"))
        self.nSamples = min(self.nSamples, num_samples)

    def _open_env(self):
        if REMOTE:
            return lmdb.open(self.cache_url, max_readers=32, readonly=True)
        return lmdb.open(self.root, max_readers=32, readonly=True)

    @functools.cached_property
    def env(self):
        return self._open_env()

    @functools.cached_property
    def txn(self):
        return self.env.begin()

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("env", None)  # each process opens its own
        state.pop("txn", None)
        return state

    def __len__(self):
        return self.nSamples

    def __getitem__(self, index):
        assert index <= len(self), "index range error"
        index += 1
        return torch.tensor(int(self.txn.get(b"%d" % index)))


def prepare(folder):
    with (
        lmdb.open(os.path.join(folder, "m"), map_size=1 << 20) as env,
        env.begin(write=True) as txn,
    ):
        txn.put(b"num-samples", b"6")
        for i in range(1, 7):
            txn.put(b"%d" % i, b"%d" % (i * i))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        dataset = Lmdb(os.path.join(folder, "m"), "LOWER")
        loader = DataLoader(
            dataset,
            batch_size=4,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        rows = [repr(batch) for _ in range(2) for batch in loader]
    print("RESULT", rows)
