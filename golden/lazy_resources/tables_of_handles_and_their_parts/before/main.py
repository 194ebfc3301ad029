import argparse
import os
import tempfile

import h5py
import torch
from torch.utils.data import DataLoader, Dataset


class Slides(Dataset):
    level = 0

    def __init__(self, folder, names):
        self.attach(folder, names)
        self.entries = [(name, row) for name in names for row in range(len(self.pixels[name]))]

    def attach(self, folder, names):
        self.files = {}
        self.pixels = {}
        for name in names:
            file = h5py.File(os.path.join(folder, name + ".h5"), "r")
            self.files[name] = file
            self.pixels[name] = file[f"levels/{self.level}"]

    def detach(self):
        for file in self.files.values():
            file.close()
        self.files.clear()
        self.pixels.clear()

    def __len__(self):
        return len(self.entries)

    def __getitem__(self, index):
        name, row = self.entries[index]
        return torch.tensor(int(self.pixels[name][row]) * int(self.files[name].attrs["grade"]))


def write(folder, names):
    for number, name in enumerate(names):
        with h5py.File(os.path.join(folder, name + ".h5"), "w") as file:
            file["levels/0"] = [number + 1, number + 2]
            file.attrs["grade"] = number + 3


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        write(folder, ["a", "b", "c"])
        slides = Slides(folder, ["a", "b", "c"])
        method = args.start_method if args.workers else None
        loader = DataLoader(slides, 2, num_workers=args.workers, multiprocessing_context=method)
        print("RESULT", sum(int(batch.sum()) for batch in loader))
        slides.detach()


if __name__ == "__main__":
    main()
