import argparse
import functools
import os
import tempfile
from pathlib import Path

import lmdb
import torch
from torch.utils.data import DataLoader, Dataset


class Graphs(Dataset):
    def __init__(self, src: str) -> None:
        super().__init__()
        self.path = Path(src)
        if not (self.path / "data.mdb").is_file():
            db_paths = sorted(self.path.glob("?"))
            self._keys = []
            self.paths = []
            for db_path in db_paths:
                cur_env = self.connect_db(db_path)
                self.paths.append(db_path)
                num_entries = cur_env.stat()["entries"]
                self._keys.append(list(range(num_entries)))
                cur_env.close()
            self.num_samples = sum(len(k) for k in self._keys)
        else:
            with self.connect_db(self.path) as env:
                self._keys = list(range(env.stat()["entries"]))
            self.num_samples = len(self._keys)

    @functools.cached_property
    def envs(self):
        return [self.connect_db(path) for path in self.paths]

    @functools.cached_property
    def env(self) -> lmdb.Environment:
        return self.connect_db(self.path)

    def __getstate__(self) -> dict[str, object]:
        state = self.__dict__.copy()
        state.pop("envs", None)  # each process opens its own
        state.pop("env", None)
        return state

    def connect_db(self, lmdb_path: Path) -> lmdb.Environment:
        return lmdb.open(str(lmdb_path), readonly=True, lock=False)

    def __len__(self) -> int:
        return self.num_samples

    def __getitem__(self, idx: int):
        if not (self.path / "data.mdb").is_file():
            k = 0
            while idx >= len(self._keys[k]):
                idx -= len(self._keys[k])
                k += 1
            return int(self.envs[k].begin().get(b"%d" % self._keys[k][idx]))
        return int(self.env.begin().get(b"%d" % self._keys[idx]))

    def close_db(self) -> None:
        if not (self.path / "data.mdb").is_file():
            if "envs" in self.__dict__:
                for env in self.envs:
                    env.close()
        else:
            if "env" in self.__dict__:
                self.env.close()


def prepare(folder):
    for name in "abc":
        path = os.path.join(folder, "one" if name == "c" else "many", name)
        os.makedirs(path)
        with lmdb.open(path, map_size=1 << 20) as env, env.begin(write=True) as txn:
            for i in range(3):
                txn.put(b"%d" % i, b"%d" % (i * 3))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        dataset = torch.utils.data.ConcatDataset(
            [Graphs(os.path.join(folder, "many")), Graphs(os.path.join(folder, "one", "c"))]
        )
        loader = DataLoader(
            dataset,
            batch_size=4,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        rows = [repr(batch) for _ in range(2) for batch in loader]
    print("RESULT", rows)
