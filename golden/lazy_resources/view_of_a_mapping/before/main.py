import argparse
import mmap
import os
import struct
import tempfile

from torch.utils.data import DataLoader, Dataset


class Records(Dataset):
    FORMAT = struct.Struct("<if")

    def __init__(self, path):
        self._file = open(path, "rb")
        self._map = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)
        self._view = memoryview(self._map)
        self._count = len(self._map) // self.FORMAT.size

    def __len__(self):
        return self._count

    def __getitem__(self, i):
        start = i * self.FORMAT.size
        return self.FORMAT.unpack(self._view[start : start + self.FORMAT.size])

    def __del__(self):
        self._view.release()
        self._map.close()
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
