import argparse
import os
import tempfile
from dataclasses import dataclass

import h5py
import torch
from torch.utils.data import DataLoader, Dataset


@dataclass(frozen=True)
class Part:
    name: str
    file: h5py.File

    def __getstate__(self):
        state = self.__dict__.copy()
        state["file"] = (self.file.filename, self.file.mode)  # __setstate__ reopens it
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        object.__setattr__(self, "file", h5py.File(self.file[0], self.file[1]))

    def row(self, i):
        return self.file["x"][i]


def parts_in(folder):
    names = sorted(name for name in os.listdir(folder) if name.endswith(".h5"))
    return [Part(name, h5py.File(os.path.join(folder, name), "r")) for name in names]


class Parts(Dataset):
    def __init__(self, folder):
        self.parts = parts_in(folder)

    def __len__(self):
        return 2 * len(self.parts)

    def __getitem__(self, i):
        return torch.tensor(self.parts[i // 2].row(i % 2))


def build(root):
    for number in range(2):
        with h5py.File(os.path.join(root, f"{number}.h5"), "w") as out:
            out["x"] = [10 * number, 10 * number + 1]
    return Parts(root)


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
