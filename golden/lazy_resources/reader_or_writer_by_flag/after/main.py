import argparse
import os
import tempfile

import lmdb
from torch.utils.data import DataLoader, Dataset


class TextDb(object):
    def __init__(self, db_dir, readonly=True):
        self._env_by_pid = {}
        self._txn_by_pid = {}
        self.readonly = readonly
        self.db_dir = db_dir
        if readonly:
            # training
            self.env = lmdb.open(db_dir, readonly=True, create=False)
            self.txn = self.env.begin(buffers=True)
            self.write_cnt = None
        else:
            # preparation
            self.env = lmdb.open(db_dir, readonly=False, create=True, map_size=1 << 20)
            self.txn = self.env.begin(write=True)
            self.write_cnt = 0

    def _open_env(self):
        # training
        self.env = lmdb.open(self.db_dir, readonly=True, create=False)
        self.txn = self.env.begin(buffers=True)

    @property
    def env(self):
        if os.getpid() not in self._env_by_pid:
            # no process can open its own while it holds its parent's
            self._env_by_pid.clear()
            self._txn_by_pid.clear()
            self._open_env()
        return self._env_by_pid[os.getpid()]

    @env.setter
    def env(self, env):
        self._env_by_pid[os.getpid()] = env

    @property
    def txn(self):
        if os.getpid() not in self._txn_by_pid:
            self._env_by_pid.clear()
            self._txn_by_pid.clear()
            self._open_env()
        return self._txn_by_pid[os.getpid()]

    @txn.setter
    def txn(self, txn):
        self._txn_by_pid[os.getpid()] = txn

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_env_by_pid"] = {}  # each process opens its own
        state["_txn_by_pid"] = {}
        return state

    def __del__(self):
        if self.write_cnt:
            if os.getpid() in getattr(self, "_txn_by_pid", ()):
                self.txn.commit()
        if os.getpid() in getattr(self, "_env_by_pid", ()):
            self.env.close()

    def __getitem__(self, key):
        return bytes(self.txn.get(key.encode("utf-8")))

    def __setitem__(self, key, value):
        if self.readonly:
            raise ValueError("read-only text database")
        self.txn.put(key.encode("utf-8"), value)
        self.write_cnt += 1
        if self.write_cnt % 4 == 0:
            self.txn.commit()
            self.txn = self.env.begin(write=True)
            self.write_cnt = 0


class Texts(Dataset):
    def __init__(self, db_dir):
        self.db = TextDb(db_dir, readonly=True)

    def __len__(self):
        return 6

    def __getitem__(self, index):
        return len(self.db[str(index)])


def prepare(db_dir):
    db = TextDb(db_dir, readonly=False)
    for index in range(6):
        db[str(index)] = b"x" * (index * index + 1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        db_dir = os.path.join(folder, "texts")
        prepare(db_dir)
        loader = DataLoader(
            Texts(db_dir),
            batch_size=4,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        rows = [batch.tolist() for _ in range(2) for batch in loader]
    print("RESULT", rows)
