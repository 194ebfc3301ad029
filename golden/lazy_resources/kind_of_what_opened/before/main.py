import argparse
import tempfile
from pathlib import Path

import h5py
from torch.utils.data import ConcatDataset, DataLoader, Dataset


class Pages(Dataset):
    """Rows of an HDF5 file, or the bytes of a plain file."""

    def __init__(self, path):
        self.path = path
        self.problems = []
        try:
            self.source = h5py.File(path, "r")
            self.kind = "hdf5"
            self.count = len(self.source["rows"])
        except OSError as error:
            # the files of the old scanner
            self.problems.append(type(error).__name__)
            self.source = open(path, "rb")
            self.kind = "plain"
            self.count = self.source.read(1)[0]

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        if self.kind == "hdf5":
            return int(self.source["rows"][index])
        self.source.seek(1 + index)
        return self.source.read(1)[0]


def scanned(folder):
    archive, plain = folder / "new.h5", folder / "old.raw"
    with h5py.File(archive, "w") as new:
        new["rows"] = [1, 4, 9, 16]
    plain.write_bytes(bytes([3, 7, 8, 9]))
    return [archive, plain]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    context = args.start_method if args.workers else None
    options = {"batch_size": 3, "num_workers": args.workers, "multiprocessing_context": context}
    with tempfile.TemporaryDirectory() as folder:
        pages = [Pages(path) for path in scanned(Path(folder))]
        loader = DataLoader(ConcatDataset(pages), **options)
        print("RESULT", [batch.tolist() for batch in loader], [p.problems for p in pages])
