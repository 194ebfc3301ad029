import argparse
import contextlib
import os
import shutil
import tempfile
import zipfile

import torch
from torch.utils.data import ConcatDataset, DataLoader, Dataset


@contextlib.contextmanager
def staged(source, scratch):
    """Copy a file to local scratch, and remove the copy again."""
    local = os.path.join(scratch, "staged-" + os.path.basename(source))
    shutil.copyfile(source, local)
    try:
        yield local
    finally:
        os.remove(local)


class Pages(Dataset):
    def __init__(self, path):
        self.path = path
        self.archive = zipfile.ZipFile(path)
        self.names = sorted(self.archive.namelist())

    def __len__(self):
        return len(self.names)

    def __getitem__(self, index):
        return torch.tensor(len(self.archive.read(self.names[index])))


def load(sources, scratch):
    parts = []
    for source in sources:
        with staged(source, scratch) as local:
            parts.append(Pages(local))
    return ConcatDataset(parts)


def build(root):
    path = os.path.join(root, "a.zip")
    with zipfile.ZipFile(path, "w") as archive:
        for page in range(4):
            archive.writestr(f"{page}.txt", "x" * page)
    return load([path], root)


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
