import argparse
import os
import tempfile
import zipfile

import torch
from torch.utils.data import DataLoader, Dataset


class Archives:
    def __init__(self, root):
        self.root = root
        self.names = sorted(os.listdir(root))
        self._handles = {}

    def handle(self, name):
        if name not in self._handles:
            self._handles[name] = zipfile.ZipFile(os.path.join(self.root, name))
        return self._handles[name]

    def members(self, name):
        return self.handle(name).namelist()

    def read(self, name, member):
        with self.handle(name).open(member) as f:
            return f.read()

    def close(self):
        while self._handles:
            _, handle = self._handles.popitem()
            handle.close()


class Slides(Dataset):
    def __init__(self, archives):
        self.archives = archives
        self.tiles = [(name, each) for name in archives.names for each in archives.members(name)]

    def __len__(self):
        return len(self.tiles)

    def __getitem__(self, index):
        return torch.tensor(len(self.archives.read(*self.tiles[index])))


def main(args):
    with tempfile.TemporaryDirectory() as root:
        for number in range(2):
            with zipfile.ZipFile(os.path.join(root, f"{number}.zip"), "w") as archive:
                for tile in range(3):
                    archive.writestr(f"tile{tile}", "x" * (number * 3 + tile))
        slides = Slides(Archives(root))
        found = [batch.tolist() for batch in loader(slides, args)]
        slides.archives.close()
    print("RESULT", found)


def loader(dataset, args):
    return DataLoader(
        dataset,
        batch_size=2,
        num_workers=args.workers,
        multiprocessing_context=args.start_method if args.workers else None,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    main(parser.parse_args())
