import argparse
import functools
import os
import tempfile

import torch
from torch.utils.data import DataLoader, Dataset


class Parallel(Dataset):
    def __init__(self, src, tgt, width=4):
        self.width = width
        self._src_path = src
        self._tgt_path = tgt
        self.n = os.path.getsize(src) // width

    @functools.cached_property
    def src(self):
        return open(self._src_path, "rb")

    @functools.cached_property
    def tgt(self):
        return open(self._tgt_path, "rb")

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("src", None)  # each process opens its own
        state.pop("tgt", None)
        return state

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        self.src.seek(i * self.width)
        self.tgt.seek(i * self.width)
        return torch.tensor([float(self.src.read(self.width)), float(self.tgt.read(self.width))])

    def __del__(self):
        if "src" in self.__dict__:
            self.src.close()
        if "tgt" in self.__dict__:
            self.tgt.close()


def build(root):
    a, b = os.path.join(root, "a"), os.path.join(root, "b")
    for k, p in enumerate([a, b]):
        with open(p, "wb") as f:
            for i in range(8):
                f.write(b"%4d" % (i * 10 + k))
    return Parallel(a, b)


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
        total = []
        for epoch in range(2):
            for batch in loader:
                total.append(batch.double().sum().item())
        print("RESULT", len(total), round(sum(total), 3), sorted(total)[:3])


if __name__ == "__main__":
    main()
