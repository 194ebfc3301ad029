import argparse
import os
import tempfile
import zipfile

from torch.utils.data import DataLoader, Dataset


class Items(Dataset):
    def __init__(self, path):
        self._archive_by_pid = {}
        self.path = path
        self._open_archive()
        with zipfile.ZipFile(self.path) as archive:
            self.names = sorted(archive.namelist())

    def _open_archive(self):
        self.archive = zipfile.ZipFile(self.path, "r")

    @property
    def archive(self):
        if os.getpid() not in self._archive_by_pid:
            self._open_archive()
        return self._archive_by_pid[os.getpid()]

    @archive.setter
    def archive(self, archive):
        self._archive_by_pid[os.getpid()] = archive

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_archive_by_pid"] = {}  # each process opens its own
        return state

    def reopen(self):
        if self.archive is not None:
            self.archive.close()
        self.archive = zipfile.ZipFile(self.path, "r")
        return self

    def __len__(self):
        return len(self.names)

    def __getitem__(self, index):
        return int(self.archive.read(self.names[index]))


def make(path):
    with zipfile.ZipFile(path, "w") as archive:
        for i in range(6):
            archive.writestr(f"{i}.txt", str(i * i))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/data.zip"
        make(path)
        context = args.start_method if args.workers else None
        dataset = Items(path)
        dataset.reopen()
        loader = DataLoader(
            dataset, batch_size=3, num_workers=args.workers, multiprocessing_context=context
        )
        print("RESULT", [batch.tolist() for _ in range(2) for batch in loader])


if __name__ == "__main__":
    main()
