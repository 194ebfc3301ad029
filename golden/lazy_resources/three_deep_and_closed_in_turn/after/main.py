import argparse
import functools
import tempfile

import lmdb
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, root):
        self.root = root
        with lmdb.open(self.root, subdir=False, readonly=True, lock=False) as env:
            self._length = env.stat()["entries"]

    @functools.cached_property
    def _env(self):
        return lmdb.open(self.root, subdir=False, readonly=True, lock=False)

    @functools.cached_property
    def _txn(self):
        return self._env.begin(buffers=True)

    @functools.cached_property
    def _cursor(self):
        return self._txn.cursor()

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("_env", None)  # each process opens its own
        state.pop("_txn", None)
        state.pop("_cursor", None)
        return state

    def __contains__(self, key):
        return self._txn.get(key) is not None

    def __len__(self):
        return self._length

    def __getitem__(self, index):
        if not self._cursor.set_key(b"%d" % index):
            raise IndexError(index)
        return int(bytes(self._cursor.value()))

    def __enter__(self):
        return self

    def __exit__(self, *exc_info):
        self.close()

    def close(self):
        if "_cursor" in self.__dict__:
            self._cursor.close()
        if "_txn" in self.__dict__:
            self._txn.abort()
        if "_env" in self.__dict__:
            self._env.close()

    def __del__(self):
        try:
            self.close()
        except Exception:
            pass


def build(folder):
    path = folder + "/data"
    env = lmdb.open(path, subdir=False)
    with env.begin(write=True) as txn:
        for i in range(6):
            txn.put(b"%d" % i, b"%d" % (i * i))
    env.close()
    return Rows(path)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        context = args.start_method if args.workers else None
        dataset = build(folder)
        loader = DataLoader(
            dataset, batch_size=2, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", len(dataset), [batch.tolist() for _ in range(2) for batch in loader])


if __name__ == "__main__":
    main()
