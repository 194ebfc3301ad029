import argparse
import functools
import os
import sqlite3
import tempfile
import zipfile

import torch
from torch.utils.data import DataLoader, Dataset


class Tiles(Dataset):
    def __init__(self, folder):
        self.folder = folder

    @functools.cached_property
    def tiles(self):
        return zipfile.ZipFile(os.path.join(self.folder, "tiles.zip"))

    @functools.cached_property
    def labels(self):
        return sqlite3.connect(os.path.join(self.folder, "labels.db"))

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("tiles", None)  # each process opens its own
        state.pop("labels", None)
        return state

    def __len__(self):
        return 4

    def __getitem__(self, index):
        (label,) = self.labels.execute("SELECT label FROM tiles WHERE id = ?", (index,)).fetchone()
        return torch.tensor([*self.tiles.read(f"{index}.bin"), label])


def build(folder):
    with zipfile.ZipFile(os.path.join(folder, "tiles.zip"), "w") as out:
        for index in range(4):
            out.writestr(f"{index}.bin", bytes([index, index + 1]))
    labels = sqlite3.connect(os.path.join(folder, "labels.db"))
    labels.execute("CREATE TABLE tiles (id INTEGER, label INTEGER)")
    labels.executemany("INSERT INTO tiles VALUES (?, ?)", [(n, n * n) for n in range(4)])
    labels.commit()
    labels.close()
    return Tiles(folder)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        dataset = build(folder)
        options = {"num_workers": args.workers}
        if args.workers:
            options["multiprocessing_context"] = args.start_method
        loader = DataLoader(dataset, batch_size=2, **options)
        print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
