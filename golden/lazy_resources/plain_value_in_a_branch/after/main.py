import argparse
import functools
import io
import os
import tempfile
import zipfile
from types import SimpleNamespace

import h5py
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Volumes(Dataset):
    def __init__(self, cfg):
        self.cfg = cfg
        self._src_backend = cfg.backend
        self._src_path = cfg.path
        src = self._open_src()
        self.names = sorted(src.namelist() if cfg.backend == "zip" else src.keys())
        if hasattr(src, "close"):
            src.close()

    def _open_src(self):
        if self._src_backend == "h5":
            return h5py.File(self._src_path, "r")
        elif self._src_backend == "zip":
            return zipfile.ZipFile(self._src_path, "r")
        return dict(np.load(self._src_path))

    @functools.cached_property
    def src(self):
        return self._open_src()

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("src", None)  # each process opens its own
        return state

    def __len__(self):
        return len(self.names)

    def read(self, name):
        if self.cfg.backend == "zip":
            return np.load(io.BytesIO(self.src.read(name)))
        return np.asarray(self.src[name])

    def __getitem__(self, i):
        return torch.from_numpy(self.read(self.names[i]))


def write(backend, path, arrays):
    if backend == "h5":
        with h5py.File(path, "w") as f:
            for k, v in arrays.items():
                f[k] = v
    elif backend == "zip":
        with zipfile.ZipFile(path, "w") as z:
            for k, v in arrays.items():
                b = io.BytesIO()
                np.save(b, v)
                z.writestr(k, b.getvalue())
    else:
        np.savez(path, **arrays)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    arrays = {f"v{i}": np.full((2, 2), i) for i in range(5)}
    result = {}
    with tempfile.TemporaryDirectory() as tmp:
        for backend, name in (("memory", "d.npz"), ("h5", "d.h5"), ("zip", "d.zip")):
            cfg = SimpleNamespace(backend=backend, path=os.path.join(tmp, name))
            write(backend, cfg.path, arrays)
            loader = DataLoader(Volumes(cfg), batch_size=2, num_workers=args.workers,
                                multiprocessing_context=args.start_method if args.workers else None)
            result[backend] = [b.sum().item() for b in loader]
    print("RESULT", result)


if __name__ == "__main__":
    main()
