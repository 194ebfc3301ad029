import argparse
import os
import tempfile
import zipfile

import torch
from torch.utils.data import DataLoader, Dataset


class Archive(Dataset):
    def __init__(self, path):
        self._archive_by_pid = {}
        self.path = path
        self.opened = 0

    @property
    def _archive(self):
        if os.getpid() not in self._archive_by_pid:
            raise AttributeError("_archive")
        return self._archive_by_pid[os.getpid()]

    @_archive.setter
    def _archive(self, archive):
        self._archive_by_pid[os.getpid()] = archive

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_archive_by_pid"] = {}  # each process opens its own
        return state

    def archive(self):
        if hasattr(self, "_archive"):
            return self._archive
        self.opened += 1
        self._archive = zipfile.ZipFile(self.path)
        return self._archive

    def close(self):
        if getattr(self, "_archive", None) is not None:
            self._archive.close()

    def __len__(self):
        return len(self.archive().namelist())

    def __getitem__(self, i):
        data = self.archive().read(f"{i}")
        return torch.tensor([*data, min(self.opened, 3) // 3])


def build(root):
    path = os.path.join(root, "a.zip")
    with zipfile.ZipFile(path, "w") as out:
        for n in range(4):
            out.writestr(f"{n}", bytes([n]))
    archive = Archive(path)
    assert len(archive) == 4
    return archive


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
