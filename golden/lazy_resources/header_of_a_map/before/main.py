import argparse
import mmap
import os
import struct
import tempfile

from torch.utils.data import DataLoader, Dataset

HEADER = struct.Struct("<4sI")


class Records(Dataset):
    def __init__(self, path):
        self.path = path
        with open(path, "rb") as file:
            self.map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        magic, self.count = HEADER.unpack_from(self.map, 0)
        if magic != b"ROWS":
            raise ValueError(f"{path} holds no records")

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
