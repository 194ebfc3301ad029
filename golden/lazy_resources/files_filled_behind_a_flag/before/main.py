import argparse
import os
import tempfile

import h5py
import numpy as np
from torch.utils.data import DataLoader, Dataset


class Shards(Dataset):
    """Rows of several files, which are opened all at once."""

    def __init__(self, paths: list[str]) -> None:
        self.paths = paths
        self._files: list[h5py.File] = []
        self._opened = False
        self.lengths = [len(self._rows(n)) for n in range(len(paths))]

    def _open(self) -> None:
        if self._opened:
            return
        for path in self.paths:
            self._files.append(h5py.File(path, "r"))
        self._opened = True

    def _rows(self, shard: int) -> h5py.Dataset:
        self._open()
        return self._files[shard]["rows"]

    def __len__(self) -> int:
        return sum(self.lengths)

    def __getitem__(self, index: int) -> np.ndarray:
        for shard, length in enumerate(self.lengths):
            if index < length:
                return self._rows(shard)[index]
            index -= length
        raise IndexError(index)


def prepare(folder: str) -> list[str]:
    paths = [os.path.join(folder, f"{n}.h5") for n in range(2)]
    for n, path in enumerate(paths):
        with h5py.File(path, "w") as file:
            file["rows"] = np.arange(n, n + 3.0)
    return paths


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        shards = Shards(prepare(folder))
        context = args.start_method if args.workers else None
        loader = DataLoader(
            shards, batch_size=4, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", len(shards), [batch.tolist() for _ in range(2) for batch in loader])


if __name__ == "__main__":
    main()
