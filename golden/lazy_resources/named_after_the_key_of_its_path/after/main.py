import argparse
import functools
import tempfile

import h5py
from torch.utils.data import DataLoader, Dataset


class Captions(Dataset):
    def __init__(self, opt):
        self.opt = opt
        self._input_label_h5 = self.opt["input_label_h5"]
        with h5py.File(self._input_label_h5, "r") as h5_label_file:
            self.length = len(h5_label_file["labels"])

    @functools.cached_property
    def h5_label_file(self):
        return h5py.File(self._input_label_h5, "r")

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("h5_label_file", None)  # each process opens its own
        return state

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        return self.h5_label_file["labels"][index]


def fill(folder):
    path = f"{folder}/labels.h5"
    with h5py.File(path, "w") as out:
        out["labels"] = [number * number for number in range(6)]
    return path


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = Captions({"input_label_h5": fill(folder), "batch": 3})
        loader = DataLoader(
            rows,
            batch_size=3,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        print("RESULT", [batch.tolist() for _ in range(2) for batch in loader])


if __name__ == "__main__":
    main()
