import argparse
import os
import tempfile
import zipfile

from torch.utils.data import DataLoader, Dataset


class Archive(Dataset):
    def __init__(self, path):
        self.path = path
        self._archive_by_pid = {}
        self.names = sorted(self.archive.namelist())

    @property
    def archive(self):
        pid = os.getpid()
        if pid not in self._archive_by_pid:
            self._archive_by_pid[pid] = zipfile.ZipFile(self.path)
        return self._archive_by_pid[pid]

    def __getstate__(self):
        state = self.__dict__.copy()
        state["_archive_by_pid"] = {}  # each process opens its own
        return state

    def __len__(self):
        return len(self.names)

    def __getitem__(self, index):
        return int(self.archive.read(self.names[index]))


class Counted:
    """Gives what it is asked for, and counts it."""

    def __init__(self, rows):
        self.asked = 0
        self.rows = rows

    def __getattr__(self, name):
        self.asked += 1
        return getattr(self.rows, name)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows.zip")
        with zipfile.ZipFile(path, "w") as out:
            for i in range(8):
                out.writestr(f"{i}", str(i))
        rows = Archive(path)
        loader = DataLoader(rows, batch_size=None, num_workers=args.workers,
                            multiprocessing_context=args.start_method if args.workers > 0 else None)
        counted = Counted(rows)
        total = sum(loader)
        held = [hasattr(counted, name) for name in ("names", "archive", "other")]
        print("RESULT", total, held)
