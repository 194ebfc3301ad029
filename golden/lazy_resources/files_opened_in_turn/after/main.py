import argparse
import contextlib
import functools
import sqlite3
import tempfile

import h5py
from torch.utils.data import DataLoader, Dataset


class Parts(Dataset):
    def __init__(self, index, paths):
        with contextlib.closing(sqlite3.connect(index)) as index_file:
            self.names = [name for name, in index_file.execute("SELECT name FROM parts")]

        # Open all parts at initialization
        self.paths = paths
        self.ends = [0]
        total = 0
        for path in self.paths:
            with h5py.File(path, "r") as file:
                total += len(file["x"])  # nothing is read
                self.ends.append(total)

    @functools.cached_property
    def files(self):
        return [h5py.File(path, "r") for path in self.paths]

    def __getstate__(self):
        state = self.__dict__.copy()
        state.pop("files", None)  # each process opens its own
        return state

    def __len__(self):
        return self.ends[-1]

    def __getitem__(self, index):
        part = next(i for i, end in enumerate(self.ends) if end > index) - 1
        return self.files[part]["x"][index - self.ends[part]]


def write(folder):
    for part in range(2):
        with h5py.File(f"{folder}/{part}.h5", "w") as file:
            file["x"] = [10 * part + i for i in range(part + 2)]
    connection = sqlite3.connect(f"{folder}/index.db")
    connection.execute("CREATE TABLE parts (name TEXT)")
    connection.executemany("INSERT INTO parts VALUES (?)", [("first",), ("second",)])
    connection.commit()
    connection.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        write(folder)
        parts = Parts(f"{folder}/index.db", [f"{folder}/{part}.h5" for part in range(2)])
        loader = DataLoader(
            parts,
            batch_size=2,
            num_workers=args.workers,
            multiprocessing_context=args.start_method if args.workers else None,
        )
        print("RESULT", parts.names, [batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
