import argparse
import os
import tempfile
import zipfile

from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    """Values in a member of a zip that follows a line of text."""

    def __init__(self, path, member="values"):
        self._raw_by_pid = {}
        self._archive_by_pid = {}
        self._values_by_pid = {}
        self.path = path
        self.member = member
        self.raw = open(path, "rb")
        self.note = self.raw.readline().decode().strip()
        self.archive = zipfile.ZipFile(self.raw)
        self.count = self.archive.getinfo(member).file_size
        self.values = self.archive.open(member)

    def _open_raw(self):
        self.raw = open(self.path, "rb")
        self.raw.readline()
        self.archive = zipfile.ZipFile(self.raw)
        self.values = self.archive.open(self.member)

    @property
    def raw(self):
        if os.getpid() not in self._raw_by_pid:
            self._open_raw()
        return self._raw_by_pid[os.getpid()]

    @raw.setter
    def raw(self, raw):
        self._raw_by_pid[os.getpid()] = raw

    @property
    def archive(self):
        if os.getpid() not in self._archive_by_pid:
            self._open_raw()
        return self._archive_by_pid[os.getpid()]

    @archive.setter
    def archive(self, archive):
        self._archive_by_pid[os.getpid()] = archive

    @property
    def values(self):
        if os.getpid() not in self._values_by_pid:
            self._open_raw()
        return self._values_by_pid[os.getpid()]

    @values.setter
    def values(self, values):
        self._values_by_pid[os.getpid()] = values

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_raw_by_pid"] = {}  # each process opens its own
        state["_archive_by_pid"] = {}
        state["_values_by_pid"] = {}
        return state

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        self.values.seek(index)
        return self.values.read(1)[0]

    def close(self):
        if os.getpid() in self._values_by_pid:
            self.values.close()
        if os.getpid() in self._archive_by_pid:
            self.archive.close()
        if os.getpid() in self._raw_by_pid:
            self.raw.close()


def build(folder):
    with open(f"{folder}/a.zip", "wb") as file:
        file.write(b"six squares\n")
        with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
            archive.writestr("values", bytes(i * i for i in range(6)))
    return Rows(f"{folder}/a.zip")


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
