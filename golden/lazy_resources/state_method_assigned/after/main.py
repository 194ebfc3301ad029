import argparse
import functools
import os
import tempfile
import zipfile

import torch
from torch.utils.data import DataLoader, Dataset


class Archive(Dataset):
    def __init__(self, path):
        self.path = path
        self.names = None

    @functools.cached_property
    def archive(self):
        return zipfile.ZipFile(self.path)

    def everything(self):
        state = dict(self.__dict__, names=[])
        state.pop("archive", None)  # each process opens its own
        return state

    __getstate__ = everything

    def __len__(self):
        return 4

    def __getitem__(self, i):
        return torch.tensor(list(self.archive.read(f"{i}")))


def build(root):
    path = os.path.join(root, "a.zip")
    with zipfile.ZipFile(path, "w") as out:
        for n in range(4):
            out.writestr(f"{n}", bytes([n]))
    return Archive(path)


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
