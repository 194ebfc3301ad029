import lmdb


class LmdbMixin:
    def open_db(self, path):
        self._env = lmdb.open(
            path,
            readonly=True,
            lock=False,  # many readers
        )

    def count(self):
        with self._env.begin() as txn:
            return txn.stat()["entries"]

    def fetch(self, i):
        with self._env.begin() as txn:
            return float(txn.get(b"%04d" % i))


def make(path):
    env = lmdb.open(path, map_size=1 << 20)
    with env.begin(write=True) as txn:
        for i in range(8):
            txn.put(b"%04d" % i, b"%d" % (i * i))
    env.close()
