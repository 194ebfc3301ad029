import argparse
import struct
import tempfile
from pathlib import Path

from torch.utils.data import DataLoader, Dataset


class Grid:
    __slots__ = ("path", "rows", "_file")

    def __init__(self, path):
        self.path = path
        self._file = open(path, "rb")
        (self.rows,) = struct.unpack("<I", self._file.read(4))

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
