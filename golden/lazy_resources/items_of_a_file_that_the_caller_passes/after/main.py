import argparse
import contextlib
import os
import tempfile

import h5py
import torch
from torch.utils.data import DataLoader, Dataset


class Bands(Dataset):
    def __init__(self, scene, names):
        bands = [scene["bands"][name] for name in names]
        self._bands_by_pid = {os.getpid(): bands}
        self._bands_arguments = [
            (each.file.filename, each.file.mode, each.name)
            for each in bands
        ]
        masks = {name: scene[f"masks/{name}"] for name in names}
        self._masks_by_pid = {os.getpid(): masks}
        self._masks_arguments = {
            key: (each.file.filename, each.file.mode, each.name)
            for key, each in masks.items()
        }
        self.count = min(len(band) for band in self.bands)

    @property
    def masks(self):
        pid = os.getpid()
        if pid not in self._masks_by_pid:
            self._masks_by_pid[pid] = {
                key: h5py.File(file, mode)[name]
                for key, (file, mode, name) in self._masks_arguments.items()
            }
        return self._masks_by_pid[pid]

    @property
    def bands(self):
        pid = os.getpid()
        if pid not in self._bands_by_pid:
            self._bands_by_pid[pid] = [
                h5py.File(file, mode)[name]
                for file, mode, name in self._bands_arguments
            ]
        return self._bands_by_pid[pid]

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_bands_by_pid"] = {}  # each process opens its own
        state["_masks_by_pid"] = {}
        return state

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        total = sum(int(band[index]) for band in self.bands)
        return torch.tensor(total + sum(int(mask[index]) for mask in self.masks.values()))


@contextlib.contextmanager
def open_scene(path):
    file = h5py.File(path, "r")
    try:
        yield file
    finally:
        file.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "scene.h5")
        with h5py.File(path, "w") as file:
            for number, name in enumerate(("red", "green")):
                file[f"bands/{name}"] = [number + value for value in range(6)]
                file[f"masks/{name}"] = [10 * number] * 6
        with open_scene(path) as scene:
            dataset = Bands(scene, ("red", "green"))
            method = args.start_method if args.workers else None
            loader = DataLoader(dataset, 2, num_workers=args.workers, multiprocessing_context=method)
            print("RESULT", sum(int(batch.sum()) for batch in loader))


if __name__ == "__main__":
    main()
