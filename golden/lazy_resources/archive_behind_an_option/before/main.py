import argparse
import os
import tempfile
import zipfile

import torch
from torch.utils.data import DataLoader, Dataset


class Notes(Dataset):
    def __init__(self, opt):
        self.opt = opt
        self.archive = None
        if opt["kind"] == "zip":
            self.archive = zipfile.ZipFile(os.path.join(opt["root"], opt["file"]))
        self.names = sorted(opt["names"])

    def __len__(self):
        return len(self.names)

    def __getitem__(self, index):
        name = self.names[index]
        if self.archive is not None:
            return torch.tensor(len(self.archive.read(name)))
        with open(os.path.join(self.opt["root"], name), "rb") as f:
            return torch.tensor(len(f.read()))


class Pictures(Dataset):
    def __init__(self, args, root):
        if args.zip and not args.plain:
            # All pictures of one split.
            self.zip = zipfile.ZipFile(root + ".zip")
            self.names = self.zip.namelist()
        else:
            self.zip = None
            self.names = os.listdir(root)
        self.root = root

    def __len__(self):
        return len(self.names)

    def __getitem__(self, index):
        if self.zip:
            return torch.tensor(len(self.zip.read(self.names[index])))
        return torch.tensor(os.path.getsize(os.path.join(self.root, self.names[index])))


class Captions(Dataset):
    def __init__(self, opt, zipped=True):
        self.n = opt["n"]
        if not zipped:
            self.source = None
        else:
            path = os.path.join(opt["root"], opt["file"])
            self.source = zipfile.ZipFile(path)

    def __len__(self):
        return self.n

    def __getitem__(self, index):
        if self.source is None:
            return torch.tensor(index)
        return torch.tensor(len(self.source.read("ab"[index])))


def prepare(folder):
    for name in ("a", "b"):
        with open(os.path.join(folder, name), "w") as f:
            f.write(name * 7)
    with zipfile.ZipFile(os.path.join(folder, "notes.zip"), "w") as archive:
        archive.writestr("a", "one")
        archive.writestr("b", "three")


def sums(dataset, args):
    loader = DataLoader(
        dataset,
        num_workers=args.workers,
        multiprocessing_context=args.start_method if args.workers else None,
    )
    return sum(int(batch) for _ in range(2) for batch in loader)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    parser.add_argument("--zip", action="store_true", default=True)
    parser.add_argument("--plain", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        options = {"root": folder, "file": "notes.zip", "names": ["b", "a"], "n": 2}
        found = [sums(Notes({**options, "kind": kind}), args) for kind in ("zip", "files")]
        found.append(sums(Pictures(args, os.path.join(folder, "notes")), args))
        found.append(sums(Captions(options), args))
        found.append(sums(Captions(options, zipped=False), args))
    print("RESULT", found)
