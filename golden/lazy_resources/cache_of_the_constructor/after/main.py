import argparse
import os
import tempfile

import h5py
from torch.utils.data import DataLoader, Dataset


class Tables(Dataset):
    def __init__(self, folder, pairs):
        self.folder = folder
        self._files = {}  # each is opened once
        self.values = [self._load(name, row) for name, row in pairs]

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("_files", None)  # only the parent process uses it
        return state

    def _load(self, name, row):
        if name not in self._files.keys():
            self._files[name] = h5py.File(os.path.join(self.folder, name), "r")
        return int(self._files[name]["values"][row])

    def __len__(self):
        return len(self.values)

    def __getitem__(self, index):
        return self.values[index]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for number, name in enumerate(["a.h5", "b.h5"]):
            with h5py.File(os.path.join(folder, name), "w") as file:
                file["values"] = list(range(number, number + 5))
        loader = DataLoader(
            Tables(folder, [("a.h5", 1), ("b.h5", 4), ("a.h5", 0)]),
            batch_size=2,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        print("RESULT", [batch.tolist() for batch in loader])
