import argparse
import tempfile

import lmdb
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, root):
        self.root = root
        self._open()

    def _open(self):
        self._env = lmdb.open(self.root, subdir=False, readonly=True, lock=False)
        self._txn = self._env.begin(buffers=True)
        self._cursor = self._txn.cursor()

    def __contains__(self, key):
        return self._txn.get(key) is not None

    def __len__(self):
        return self._env.stat()["entries"]

    def __getitem__(self, index):
        if not self._cursor.set_key(b"%d" % index):
            raise IndexError(index)
        return int(bytes(self._cursor.value()))

    def __enter__(self):
        return self

    def __exit__(self, *exc_info):
        self.close()

    def close(self):
        self._cursor.close()
        self._txn.abort()
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
