import argparse
import os
import tempfile
import zipfile
from types import SimpleNamespace

from torch.utils.data import DataLoader, Dataset


class Pages(Dataset):
    def __init__(self, source):
        self.__archive = zipfile.ZipFile(source.path)

    def page(self, index):
        return self.__archive.read(str(index))

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return sum(self.page(index))


class Scored(Pages):
    def __init__(self, source, scores):
        super().__init__(source)
        self.__archive = zipfile.ZipFile(scores.path)

    def __getitem__(self, index):
        return super().__getitem__(index) * self.__archive.read(str(index))[0]


def pack(root, name, start):
    path = os.path.join(root, name)
    with zipfile.ZipFile(path, "w") as out:
        for n in range(4):
            out.writestr(str(n), bytes([start + n]))
    return path


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    with tempfile.TemporaryDirectory() as root:
        source = SimpleNamespace(path=pack(root, "pages.zip", 1))
        pages = Scored(source, SimpleNamespace(path=pack(root, "scores.zip", 10)))
        source.path = None  # read
        loader = DataLoader(
            pages, batch_size=2, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
