import argparse
import os
import struct
import tempfile
from pathlib import Path

from torch.utils.data import DataLoader, Dataset


class Grid:
    __slots__ = ("path", "rows", "_file_by_pid")

    def __init__(self, path):
        self.path = path
        self._file_by_pid = {}
        with open(self.path, "rb") as file:
            (self.rows,) = struct.unpack("<I", file.read(4))

    @property
    def _file(self):
        pid = os.getpid()
        if pid not in self._file_by_pid:
            self._file_by_pid[pid] = open(self.path, "rb")
        return self._file_by_pid[pid]

    def __getstate__(self):
        names = ("path", "rows")  # _file_by_pid: each process opens its own
        return {name: getattr(self, name) for name in names if hasattr(self, name)}

    def __setstate__(self, state):
        for name, value in state.items():
            setattr(self, name, value)
        self._file_by_pid = {}

    def row(self, index):
        self._file.seek(4 + index)
        return self._file.read(1)[0]


class Profiles(Dataset):
    def __init__(self, grids):
        self.grids = grids
        self.at = [(name, row) for name, grid in grids.items() for row in range(grid.rows)]

    def __len__(self):
        return len(self.at)

    def __getitem__(self, index):
        name, row = self.at[index]
        return self.grids[name].row(row)


def write(folder):
    for rows in (3, 5):
        path = folder / f"{rows}.grid"
        path.write_bytes(struct.pack("<I", rows) + bytes(range(rows)))
    return sorted(folder.iterdir())


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    options = {"batch_size": 3, "num_workers": args.workers, "multiprocessing_context": context}
    with tempfile.TemporaryDirectory() as folder:
        grids = {path.stem: Grid(path) for path in write(Path(folder))}
        highest = max(grid.row(grid.rows - 1) for grid in grids.values())
        loader = DataLoader(Profiles(grids), **options)
        print("RESULT", highest, [batch.tolist() for batch in loader])
