import argparse
import functools
import os
import tempfile
import zipfile

import torch
from torch.utils.data import DataLoader, Dataset


class Archive(Dataset):
    def __init__(self, settings):
        self._archive_path_ = settings["path"]

    @functools.cached_property
    def archive(self):
        return zipfile.ZipFile(self._archive_path_)

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("archive", None)  # each process opens its own
        return state

    def __len__(self):
        return 4

    def __getitem__(self, i):
        return torch.tensor(list(self.archive.read(f"{i}")))


class Weighted(Archive):
    def __init__(self, settings):
        self._archive_path = settings["weights"]  # a list, whatever the name says
        super().__init__(settings)

    def __getitem__(self, i):
        return super().__getitem__(i) * self._archive_path[i]


def build(root):
    path = os.path.join(root, "a.zip")
    with zipfile.ZipFile(path, "w") as out:
        for n in range(4):
            out.writestr(f"{n}", bytes([n]))
    return Weighted({"path": path, "weights": [1, 2, 3, 4]})


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
