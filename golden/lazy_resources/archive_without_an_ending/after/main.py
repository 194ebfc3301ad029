import argparse
import functools
import gzip
import io
import os
import tarfile
import tempfile

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Tar(Dataset):
    def __init__(self, path, npz):
        self.path = path
        with tarfile.open(self.path) as tar:
            self.members = sorted(tar.getnames())
        self._npz_path = npz
        with np.load(self._npz_path) as npz_file:
            self.offsets = npz_file["offsets"]

    @functools.cached_property
    def tar(self):
        return tarfile.open(self.path)

    @functools.cached_property
    def npz(self):
        return np.load(self._npz_path)

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("tar", None)  # each process opens its own
        state.pop("npz", None)
        return state

    def __len__(self):
        return len(self.members)

    def __getitem__(self, i):
        text = self.tar.extractfile(self.members[i]).read()
        return torch.tensor(float(text) + self.offsets[i] + self.npz["more"][i])

    def close(self):
        if "tar" in self.__dict__:
            self.tar.close()
        if "npz" in self.__dict__:
            self.npz.close()


def build(root):
    path = os.path.join(root, "a.tar")
    with tarfile.open(path, "w") as tar:
        for i in range(8):
            data = str(i).encode()
            info = tarfile.TarInfo(f"{i}.txt")
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    npz = os.path.join(root, "o.npz")
    np.savez(npz, offsets=np.arange(8.0), more=np.ones(8))
    return Tar(path, npz)


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
