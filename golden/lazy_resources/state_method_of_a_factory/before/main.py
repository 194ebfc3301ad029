import argparse
import os
import tempfile
import zipfile

from torch.utils.data import DataLoader, Dataset


def stateful(base, **reset):
    """Make a base whose objects are sent with some attributes as they were at first."""

    class Stateful(base):
        def __getstate__(self):
            return {**vars(self), **reset}

    return Stateful


class Pages(stateful(Dataset, reads=0)):
    def __init__(self, path):
        self.path = path
        self.reads = 0
        self.archive = zipfile.ZipFile(path)

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return sum(self.archive.read(str(index)))


def pack(root):
    path = os.path.join(root, "a.zip")
    with zipfile.ZipFile(path, "w") as out:
        for n in range(4):
            out.writestr(str(n), bytes([n, n + 1]))
    return path


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    with tempfile.TemporaryDirectory() as root:
        pages = Pages(pack(root))
        loader = DataLoader(
            pages, batch_size=2, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
