import argparse
import os
import tarfile
import tempfile

import torch
from torch.utils.data import DataLoader, Dataset


class Packed(Dataset):
    def __init__(self, path, names):
        self.path = path
        self.names = names
        self._archive_by_pid = {os.getpid(): tarfile.open(path)}

    @property
    def archive(self):
        pid = os.getpid()
        if pid not in self._archive_by_pid:
            self._archive_by_pid[pid] = tarfile.open(self.path)
        return self._archive_by_pid[pid]

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_archive_by_pid"] = {}  # each process opens its own
        return state

    def __len__(self):
        return len(self.names)

    def __getitem__(self, i):
        return torch.tensor(list(self.archive.extractfile(self.names[i]).read()))


def make(path):
    return Packed(path, ["0", "1", "2", "3"])


def first_of(paths):
    for path in paths:
        try:
            return make(path)
        except (OSError, tarfile.TarError):
            continue
    raise FileNotFoundError(paths)


def build(root):
    good = os.path.join(root, "good.tar")
    with tarfile.open(good, "w") as archive:
        for n in range(4):
            name = os.path.join(root, f"{n}")
            with open(name, "wb") as out:
                out.write(bytes([n, n + 1]))
            archive.add(name, arcname=f"{n}")
    bad = os.path.join(root, "bad.tar")
    with open(bad, "wb") as out:
        out.write(b"not an archive")
    return first_of([os.path.join(root, "none.tar"), bad, good])


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
