import argparse
import functools
import os
import tempfile

import h5py
import torch
from torch.utils.data import DataLoader, Dataset


class Windows(Dataset):
    def __init__(self, options):
        self.options = options
        self.length = options["length"]
        if options.get("features"):
            self._file_path = os.path.join(options["root"], options["features"])

    @functools.cached_property
    def file(self):
        if self.options.get("features"):
            return h5py.File(self._file_path, "r")
        return None

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("file", None)  # each process opens its own
        return state

    def __len__(self):
        return self.length

    def __getitem__(self, i):
        if self.file is None:
            return torch.tensor(float(i))
        return torch.tensor(self.file["x"][i])


def total(options, args):
    context = args.start_method if args.workers else None
    loader = DataLoader(
        Windows(options), batch_size=2, num_workers=args.workers, multiprocessing_context=context
    )
    return sum(float(batch.sum()) for batch in loader)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        with h5py.File(os.path.join(folder, "rows.h5"), "w") as out:
            out["x"] = [1.0, 2.0, 3.0, 4.0]
        kept = total({"length": 4, "root": folder, "features": "rows.h5"}, args)
        print("RESULT", kept, total({"length": 4}, args))


if __name__ == "__main__":
    main()
