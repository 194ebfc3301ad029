import argparse
import os
import sqlite3
import tempfile

from torch.utils.data import DataLoader, Dataset


class Tables(Dataset):
    def __init__(self, paths, table):
        self.table = table
        self.setup(paths)
        self.sizes = {name: self.size(name) for name in sorted(self.paths)}
        self.paths = {name: os.path.basename(path) for name, path in self.paths.items()}

    def size(self, name):
        raise NotImplementedError

    def __len__(self):
        return min(self.sizes.values())


class Joined(Tables):
    def setup(self, paths):
        self.paths = {os.path.basename(path): path for path in paths}
        self.connections = {}

    def connect(self):
        if not self.connections:
            for name, path in self.paths.items():
                self.connections[name] = sqlite3.connect(path)

    def size(self, name):
        self.connect()
        count = f"SELECT COUNT(*) FROM {self.table}"
        return self.connections[name].execute(count).fetchone()[0]

    def __getitem__(self, index):
        self.connect()
        query = f"SELECT value FROM {self.table} WHERE id = ?"
        return [
            self.connections[name].execute(query, (index,)).fetchone()[0] for name in self.sizes
        ]


def make(path, factor):
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE items (id INTEGER PRIMARY KEY, value INTEGER)")
    rows = [(n, n * factor) for n in range(4 + factor)]
    connection.executemany("INSERT INTO items VALUES (?, ?)", rows)
    connection.commit()
    connection.close()
    return path


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--start-method", default="spawn")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        paths = [make(os.path.join(folder, f"{n}.db"), n + 1) for n in range(2)]
        joined = Joined(paths, "items")
        options = {"num_workers": args.workers}
        if args.workers:
            options["multiprocessing_context"] = args.start_method
        loader = DataLoader(joined, batch_size=3, **options)
        print("RESULT", [[part.tolist() for part in batch] for _ in range(2) for batch in loader])


if __name__ == "__main__":
    main()
