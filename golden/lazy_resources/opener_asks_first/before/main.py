import argparse
import io
import os
import tempfile
import zipfile

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class ImageFolderZip(Dataset):
    def __init__(self, path, resolution=None, max_size=None, use_labels=False):
        self._path = path
        self._zipfile = None
        self._type = "zip" if path.endswith(".zip") else "dir"
        self._all_fnames = set(self._get_zipfile().namelist())
        self._fnames = sorted(n for n in self._all_fnames if n.endswith(".npy"))

    def _get_zipfile(self):
        assert self._type == "zip"
        if self._zipfile is None:
            self._zipfile = zipfile.ZipFile(self._path)
        return self._zipfile

    def _open_file(self, fname):
        if self._type == "dir":
            return open(os.path.join(self._path, fname), "rb")
        if self._type == "zip":
            return self._get_zipfile().open(fname, "r")
        return None

    def close(self):
        try:
            if self._zipfile is not None:
                self._zipfile.close()
        finally:
            self._zipfile = None

    def __len__(self):
        return len(self._fnames)

    def __getitem__(self, i):
        with self._open_file(self._fnames[i]) as f:
            return torch.from_numpy(np.load(io.BytesIO(f.read())))


def build(root):
    path = os.path.join(root, "a.zip")
    with zipfile.ZipFile(path, "w") as z:
        for i in range(8):
            b = io.BytesIO()
            np.save(b, np.arange(3.0) * i)
            z.writestr(f"{i}.npy", b.getvalue())
    return ImageFolderZip(path)


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
        total = []
        for epoch in range(2):
            for batch in loader:
                total.append(batch.double().sum().item())
        print("RESULT", len(total), round(sum(total), 3), sorted(total)[:3])


if __name__ == "__main__":
    main()
