import argparse
import os
import tempfile
import zipfile

import torch
from torch.utils.data import DataLoader, Dataset

VIEWS = ("front", "left", "rear")


class Views(Dataset):
    """Frames of several cameras; a camera that was off has no archive."""

    def __init__(self, folder):
        self._archives_by_pid = {}
        self.archives = {}
        self._archive_paths = {}
        self.frames = []
        for view in VIEWS:
            path = os.path.join(folder, view + ".zip")
            if not os.path.exists(path):
                print("no archive for", view)
                self.archives[view] = None
                self._archive_paths[view] = None
                continue
            archive = zipfile.ZipFile(path)
            names = sorted(archive.namelist())
            if not names:
                raise ValueError(path)
            self.frames += [(view, name) for name in names]
            self.archives[view] = archive
            self._archive_paths[view] = path

    def _open_archives(self):
        self.archives = {
            key: None if path is None else zipfile.ZipFile(path)
            for key, path in self._archive_paths.items()
        }

    @property
    def archives(self):
        if os.getpid() not in self._archives_by_pid:
            self._open_archives()
        return self._archives_by_pid[os.getpid()]

    @archives.setter
    def archives(self, archives):
        self._archives_by_pid[os.getpid()] = archives

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_archives_by_pid"] = {}  # each process opens its own
        return state

    def __len__(self):
        return len(self.frames)

    def __getitem__(self, index):
        view, name = self.frames[index]
        off = sum(archive is None for archive in self.archives.values())
        return torch.tensor(len(self.archives[view].read(name)) + 100 * off)

    def close(self):
        if os.getpid() in self._archives_by_pid:
            for archive in self.archives.values():
                if archive is not None:
                    archive.close()


def build(root):
    for start, view in enumerate(("front", "rear")):
        with zipfile.ZipFile(os.path.join(root, view + ".zip"), "w") as archive:
            for frame in range(3):
                archive.writestr(f"{frame}.raw", "x" * (frame + start))
    return Views(root)


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
        print("RESULT", [batch.tolist() for _ in range(2) for batch in loader])
        dataset.close()


if __name__ == "__main__":
    main()
