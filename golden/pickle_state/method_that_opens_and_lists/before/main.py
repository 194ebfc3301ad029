import argparse
import os
import tempfile
import zipfile

from torch.utils.data import DataLoader, Dataset


class ArchiveBacked:
    def __init__(self, path):
        self.path = path
        self.archive = None
        self.names = []

    def setup(self):
        self.archive = zipfile.ZipFile(self.path)
        self.names = sorted(name for name in self.archive.namelist() if name.endswith(".txt"))
        return self

    def read_bytes(self, name):
        with self.archive.open(name) as member:
            return member.read()


class Texts(ArchiveBacked, Dataset):
    def keep(self, count):
        self.names = self.names[:count]
        return self

    def __len__(self):
        return len(self.names)

    def __getitem__(self, index):
        return len(self.read_bytes(self.names[index]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "texts.zip")
        with zipfile.ZipFile(path, "w") as archive:
            for number in range(6):
                archive.writestr(f"{number}.txt", "x" * number)
        dataset = Texts(path).setup().keep(5)
        method = args.start_method if args.workers else None
        loader = DataLoader(dataset, 2, num_workers=args.workers, multiprocessing_context=method)
        print("RESULT", [batch.tolist() for batch in loader])
        dataset.archive.close()


if __name__ == "__main__":
    main()
