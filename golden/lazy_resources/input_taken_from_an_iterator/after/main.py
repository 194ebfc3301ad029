import argparse
import functools
import os
import tarfile
import tempfile

import torch
from torch.utils.data import ConcatDataset, DataLoader, Dataset


class Shard(Dataset):
    def __init__(self, paths):
        self._archive_path = next(paths)
        with tarfile.open(self._archive_path) as archive:
            self.names = archive.getnames()

    @functools.cached_property
    def archive(self):
        return tarfile.open(self._archive_path)

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("archive", None)  # each process opens its own
        return state

    def __len__(self):
        return len(self.names)

    def __getitem__(self, i):
        with self.archive.extractfile(self.names[i]) as member:
            return torch.tensor(list(member.read()))


def pack(root, number):
    path = os.path.join(root, f"{number}.tar")
    with tarfile.open(path, "w") as archive:
        for n in range(2):
            name = os.path.join(root, f"{number}-{n}")
            with open(name, "wb") as out:
                out.write(bytes([number, n]))
            archive.add(name, arcname=f"{n}")
    return path


def build(root):
    paths = iter([pack(root, number) for number in range(3)])
    return ConcatDataset([Shard(paths), Shard(paths), Shard(paths)])


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
