import argparse
import os
import tempfile
from dataclasses import dataclass, field

import h5py
import torch
from torch.utils.data import DataLoader, Dataset


@dataclass(slots=True)
class Source:
    path: str
    file: object = field(init=False, default=None)

    def __post_init__(self):
        self.file = h5py.File(self.path, "r")

    def __getstate__(self):
        names = ("path",)  # file: __setstate__ reopens it
        return {name: getattr(self, name) for name in names if hasattr(self, name)}

    def __setstate__(self, state):
        for name, value in state.items():
            setattr(self, name, value)
        self.file = h5py.File(self.path, "r")


class Rows(Dataset):
    def __init__(self, path):
        self.source = Source(path)

    def __len__(self):
        return 8

    def __getitem__(self, i):
        return torch.from_numpy(self.source.file["x"][i : i + 1])


def build(root):
    path = os.path.join(root, "d.h5")
    with h5py.File(path, "w") as f:
        f["x"] = list(range(8))
    return Rows(path)


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
