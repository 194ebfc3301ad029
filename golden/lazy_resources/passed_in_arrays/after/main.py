import argparse
import os
import tempfile

import numpy as np
from torch.utils.data import DataLoader, Dataset


class Arrays(Dataset):
    def __init__(self, archive):
        self._archive_by_pid = {os.getpid(): archive}
        self._archive_name = archive.zip.filename
        self.names = sorted(archive.files)

    @property
    def archive(self):
        pid = os.getpid()
        if pid not in self._archive_by_pid:
            self._archive_by_pid[pid] = np.load(self._archive_name)
        return self._archive_by_pid[pid]

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_archive_by_pid"] = {}  # each process opens its own
        return state

    def __len__(self):
        return len(self.names)

    def __getitem__(self, index):
        return float(self.archive[self.names[index]].sum())


def build(root):
    path = os.path.join(root, "arrays.npz")
    np.savez(path, a=np.arange(3), b=np.arange(4), c=np.ones(2))
    return Arrays(np.load(path))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        loader = DataLoader(
            build(root),
            batch_size=2,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
