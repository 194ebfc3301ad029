import argparse
import os
import tempfile
import time
import zipfile

from torch.utils.data import DataLoader, Dataset


class Members(Dataset):
    def __init__(self, path):
        self._archive_by_pid = {}
        self.path = path
        for attempt in range(3):
            try:
                self.archive = zipfile.ZipFile(path)
                break
            except OSError as error:
                print(f"attempt {attempt}: {error}")
                time.sleep(0.1)
        else:
            raise OSError("the archive cannot be opened")
        self.names = sorted(self.archive.namelist())

    def _open_archive(self):
        for attempt in range(3):
            try:
                self.archive = zipfile.ZipFile(self.path)
                break
            except OSError as error:
                print(f"attempt {attempt}: {error}")
                time.sleep(0.1)
        else:
            raise OSError("the archive cannot be opened")

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

    def __len__(self):
        return len(self.names)

    def __getitem__(self, index):
        return len(self.archive.read(self.names[index]))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "members.zip")
        with zipfile.ZipFile(path, "w") as archive:
            for index in range(6):
                archive.writestr(f"{index}.txt", "x" * index)
        loader = DataLoader(
            Members(path),
            batch_size=4,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        rows = [batch.tolist() for batch in loader]
    print("RESULT", rows)
