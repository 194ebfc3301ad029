import argparse
import functools
import mmap
import os
import struct
import tempfile

from torch.utils.data import DataLoader, Dataset

HEADER = struct.Struct("<4sI")


class Records(Dataset):
    def __init__(self, path):
        self.path = path
        with self._open_map() as map_file:
            magic, self.count = HEADER.unpack_from(map_file, 0)
        if magic != b"ROWS":
            raise ValueError(f"{path} holds no records")

    def _open_map(self):
        with open(self.path, "rb") as file:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)

    @functools.cached_property
    def map(self):
        return self._open_map()

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("map", None)  # each process opens its own
        return state

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return struct.unpack_from("<H", self.map, HEADER.size + 2 * index)[0]


def options(args):
    context = args.start_method if args.workers else None
    return {"batch_size": 2, "num_workers": args.workers, "multiprocessing_context": context}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows")
        with open(path, "wb") as file:
            file.write(HEADER.pack(b"ROWS", 5) + struct.pack("<5H", 3, 1, 4, 1, 5))
        print("RESULT", [batch.tolist() for batch in DataLoader(Records(path), **options(args))])
