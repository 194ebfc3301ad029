import argparse
import mmap
import struct
import tempfile

from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path):
        self._file = open(path, "rb")
        (count,) = struct.unpack("<I", self._file.read(4))
        self.names = [self._file.read(2).decode() for _ in range(count)]
        self._base = self._file.tell()
        self._map = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)
        self.first = self._map[self._base]

    def __len__(self):
        return len(self._map) - self._base

    def __getitem__(self, index):
        return self._map[self._base + index] - self.first

    def close(self):
        if self._map is not None:
            self._map.close()
            self._file.close()
            self._map = self._file = None


def build(folder):
    with open(f"{folder}/a.bin", "wb") as file:
        file.write(struct.pack("<I", 2) + b"xxyy" + bytes(range(3, 9)))
    return Rows(f"{folder}/a.bin")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        context = args.start_method if args.workers else None
        dataset = build(folder)
        loader = DataLoader(
            dataset, batch_size=2, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", len(dataset), [batch.tolist() for _ in range(2) for batch in loader])


if __name__ == "__main__":
    main()
