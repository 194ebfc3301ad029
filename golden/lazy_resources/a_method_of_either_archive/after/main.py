import argparse
import os
import tarfile
import tempfile
import zipfile

from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path):
        self._archive_by_pid = {}
        self._read_by_pid = {}
        self.path = path
        if path.endswith(".zip"):
            self.archive = zipfile.ZipFile(path)
            self.names = sorted(self.archive.namelist())
            self.read = self.archive.read
        else:
            self.archive = tarfile.open(path)
            self.names = sorted(self.archive.getnames())
            self.read = self._extract

    def _open_archive(self):
        if self.path.endswith(".zip"):
            self.archive = zipfile.ZipFile(self.path)
            self.read = self.archive.read
        else:
            self.archive = tarfile.open(self.path)
            self.read = self._extract

    @property
    def archive(self):
        if os.getpid() not in self._archive_by_pid:
            self._open_archive()
        return self._archive_by_pid[os.getpid()]

    @archive.setter
    def archive(self, archive):
        self._archive_by_pid[os.getpid()] = archive

    @property
    def read(self):
        if os.getpid() not in self._read_by_pid:
            self._open_archive()
        return self._read_by_pid[os.getpid()]

    @read.setter
    def read(self, read):
        self._read_by_pid[os.getpid()] = read

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_archive_by_pid"] = {}  # each process opens its own
        state["_read_by_pid"] = {}
        return state

    def _extract(self, name):
        return self.archive.extractfile(name).read()

    def __len__(self):
        return len(self.names)

    def __getitem__(self, index):
        return int(self.read(self.names[index]))


def build(folder):
    path = folder + "/data.zip"
    with zipfile.ZipFile(path, "w") as file:
        for i in range(6):
            file.writestr(f"{i}", str(i * i))
    return Rows(path)


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
