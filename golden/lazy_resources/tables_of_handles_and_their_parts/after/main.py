import argparse
import os
import tempfile

import h5py
import torch
from torch.utils.data import DataLoader, Dataset


class Slides(Dataset):
    level = 0

    def __init__(self, folder, names):
        self._files_by_pid = {}
        self._pixels_by_pid = {}
        self.attach(folder, names)
        self.entries = [(name, row) for name in names for row in range(len(self.pixels[name]))]

    def attach(self, folder, names):
        self.folder = folder
        self.names = list(names)
        self._open_files()

    def _open_files(self):
        self.files = {}
        self.pixels = {}
        for name in self.names:
            file = h5py.File(os.path.join(self.folder, name + ".h5"), "r")
            self.files[name] = file
            self.pixels[name] = file[f"levels/{self.level}"]

    @property
    def files(self):
        if os.getpid() not in self._files_by_pid:
            self._open_files()
        return self._files_by_pid[os.getpid()]

    @files.setter
    def files(self, files):
        self._files_by_pid[os.getpid()] = files

    @property
    def pixels(self):
        if os.getpid() not in self._pixels_by_pid:
            self._open_files()
        return self._pixels_by_pid[os.getpid()]

    @pixels.setter
    def pixels(self, pixels):
        self._pixels_by_pid[os.getpid()] = pixels

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_files_by_pid"] = {}  # each process opens its own
        state["_pixels_by_pid"] = {}
        return state

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
