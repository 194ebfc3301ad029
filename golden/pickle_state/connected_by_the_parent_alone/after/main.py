import argparse
import os
import tempfile

import h5py
import torch
from torch.utils.data import DataLoader, Dataset


class Store:
    def __init__(self, path: str) -> None:
        self.path = path
        self.file = None
        self.connected = False

    def __getstate__(self) -> dict[str, object]:
        state = self.__dict__.copy()
        if state.get("file") is not None:
            state["file"] = True  # __setstate__ calls connect()
        state["connected"] = False
        return state

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        if self.file:
            self.file = None
            self.connect()

    def connect(self) -> "Store":
        if not self.connected:
            self.file = h5py.File(self.path, "r")
            self.connected = True
        return self

    def close(self) -> None:
        if self.file is not None:
            self.file.close()
        self.file = None
        self.connected = False

    def row(self, i: int) -> int:
        return self.file["x"][i]


class Rows(Dataset):
    def __init__(self, store):
        self.store = store

    def __len__(self):
        return 4

    def __getitem__(self, i):
        return torch.tensor(self.store.row(i))


def build(root):
    path = os.path.join(root, "a.h5")
    with h5py.File(path, "w") as out:
        out["x"] = [5, 6, 7, 8]
    store = Store(path)
    store.connect()
    return Rows(store)


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
