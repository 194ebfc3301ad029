import argparse
import gzip
import os
import tempfile

from torch.utils.data import DataLoader, Dataset

OPENERS = {".gz": gzip.open}


class Packed(Dataset):
    def __init__(self, path):
        opener = OPENERS.get(os.path.splitext(path)[1], open)
        self.data = opener(path, "rb")
        self.count = int.from_bytes(self.data.read(4), "little")

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        self.data.seek(4 + index)
        return self.data.read(1)[0]


def build(root):
    path = os.path.join(root, "packed.gz")
    with gzip.open(path, "wb") as out:
        out.write((5).to_bytes(4, "little") + bytes(range(10, 15)))
    return Packed(path)


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
