import argparse
import os
import tempfile
from types import SimpleNamespace

import h5py
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Spectra(Dataset):
    def __init__(self, cfg, split):
        self.cfg = cfg
        self.split = split
        self._store = None
        self._arrays = {}
        if cfg.backend == "h5":
            self._open_h5()
        else:
            self._arrays["spec"] = np.arange(6)

    def _open_h5(self):
        path = os.path.join(self.cfg.root, f"{self.split}.h5")
        if not os.path.exists(path):
            raise FileNotFoundError(path)
        self._path = path
        self._store = h5py.File(path, "r")
        if self.cfg.in_memory:
            self._arrays = {"spec": self._store["spec"][:]}
            self.close()

    def __getstate__(self):
        state = self.__dict__.copy()
        if state.get("_store") is not None:
            state["_store"] = True  # __setstate__ reopens it
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        if self._store:
            self._store = h5py.File(self._path, "r")

    def close(self):
        if self._store is not None:
            self._store.close()
            self._store = None

    def __len__(self):
        if self._arrays:
            return len(self._arrays["spec"])
        return self._store["spec"].shape[0]

    def __getitem__(self, index):
        spec = self._arrays if self._arrays else self._store
        return torch.tensor(int(spec["spec"][index]))


def main(args):
    with tempfile.TemporaryDirectory() as root:
        with h5py.File(os.path.join(root, "train.h5"), "w") as f:
            f["spec"] = np.arange(6) * 7
        found = []
        for backend, in_memory in (("h5", False), ("h5", True), ("npy", False)):
            cfg = SimpleNamespace(root=root, backend=backend, in_memory=in_memory)
            dataset = Spectra(cfg, "train")
            found.append([batch.tolist() for batch in loader(dataset, args)])
            dataset.close()
    print("RESULT", found)


def loader(dataset, args):
    return DataLoader(
        dataset,
        batch_size=2,
        num_workers=args.workers,
        multiprocessing_context=args.start_method if args.workers else None,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    main(parser.parse_args())
