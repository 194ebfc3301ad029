import argparse
import functools
import mmap
import os
import struct
import tempfile

from torch.utils.data import DataLoader, Dataset


class Records(Dataset):
    FORMAT = struct.Struct("<if")

    def __init__(self, path):
        self._path = path
        with open(self._path, "rb") as file:
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as map_file:
                self._count = len(map_file) // self.FORMAT.size

    @functools.cached_property
    def _file(self):
        return open(self._path, "rb")

    @functools.cached_property
    def _map(self):
        return mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)

    @functools.cached_property
    def _view(self):
        return memoryview(self._map)

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("_file", None)  # each process opens its own
        state.pop("_map", None)
        state.pop("_view", None)
        return state

    def __len__(self):
        return self._count

    def __getitem__(self, i):
        start = i * self.FORMAT.size
        return self.FORMAT.unpack(self._view[start : start + self.FORMAT.size])

    def __del__(self):
        if "_view" in self.__dict__:
            self._view.release()
        if "_map" in self.__dict__:
            self._map.close()
        if "_file" in self.__dict__:
            self._file.close()


def prepare(folder):
    with open(os.path.join(folder, "r.bin"), "wb") as f:
        for i in range(9):
            f.write(struct.pack("<if", i, i / 2))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        dataset = Records(os.path.join(folder, "r.bin"))
        loader = DataLoader(
            dataset,
            batch_size=4,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        rows = [repr(batch) for _ in range(2) for batch in loader]
    print("RESULT", rows)
