import argparse
import functools
import gzip
import os
import tempfile

from torch.utils.data import DataLoader, Dataset

OPENERS = {".gz": gzip.open}


class Packed(Dataset):
    def __init__(self, path):
        opener = OPENERS.get(os.path.splitext(path)[1], open)
        self.opener = opener
        self._path = path
        with self.opener(self._path, "rb") as data:
            self.count = int.from_bytes(data.read(4), "little")

    @functools.cached_property
    def data(self):
        return self.opener(self._path, "rb")

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("data", None)  # each process opens its own
        return state

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
