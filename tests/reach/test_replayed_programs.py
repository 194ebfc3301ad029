"""Shapes of programs in which people met a worker error, each beside one that looks alike and is right."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.marked import check, program


@pytest.mark.parametrize(
    "text",
    [
        program(
            "a callable set on parsed arguments",
            """
            import argparse
            from torch.utils.data import DataLoader
            def loader(args, n):
                args.collate = lambda batch: batch[:n]  # !DLF101
                return DataLoader([1, 2], num_workers=args.workers, collate_fn=args.collate)
            def main():
                parser = argparse.ArgumentParser()
                parser.add_argument("--workers", type=int, default=2)
                print(list(loader(parser.parse_args(), 1)))
            """,
        ),
        program(
            "a method of a mixin that comes after a base of an unknown library",
            """
            from torch.utils.data import DataLoader, Dataset
            from unknown import Thing
            class Scaled:
                def scale(self, n): self.f = lambda x: x * n  # !DLF101
            class Rows(Dataset, Thing, Scaled):
                def __init__(self): self.scale(2)
                def __getitem__(self, i): return self.f(i)
            def main():
                print(list(DataLoader(Rows(), num_workers=2)))
            """,
        ),
        program(
            "a handle below a long chain of constructors",
            """
            import h5py
            from torch.utils.data import DataLoader, Dataset
            class A:
                def __init__(self, path): self.file = h5py.File(path)  # !DLF201
            class B:
                def __init__(self, path): self.a = A(path)
            class C:
                def __init__(self, path): self.b = B(path)
            class D:
                def __init__(self, path): self.c = C(path)
            class E:
                def __init__(self, path): self.d = D(path)
            class F:
                def __init__(self, path): self.e = E(path)
            class G:
                def __init__(self, path): self.f = F(path)
            class Rows(Dataset):
                def __init__(self, path): self.g = G(path)
                def __getitem__(self, i): return i
            def main():
                print(list(DataLoader(Rows("a.h5"), num_workers=2)))
            """,
        ),
        program(
            "a factory of counts that is taken away before they are sent, and one that stays",
            """
            from collections import defaultdict
            from torch.utils.data import DataLoader, Dataset
            class Words(Dataset):
                def __init__(self, words):
                    self.counts = defaultdict(lambda: 0)
                    self.places = defaultdict(lambda: 0)  # !DLF101
                    for word in words:
                        self.counts[word] += 1
                    self.counts.default_factory = None
                def __getitem__(self, i): return i
            def main():
                print(list(DataLoader(Words("abc"), num_workers=2)))
            """,
        ),
        program(
            "a factory that is taken away after the loader was made",
            """
            from collections import defaultdict
            from torch.utils.data import DataLoader
            def main():
                counts = defaultdict(lambda: 0)  # !DLF101
                for batch in DataLoader(counts, num_workers=2):
                    print(batch)
                counts.default_factory = None
            """,
        ),
        program(
            "fields of a structured array, and the members of an archive",
            """
            import numpy as np
            from torch.utils.data import DataLoader, Dataset
            class Rows(Dataset):
                def __init__(self, folder, name):
                    self.index = np.load(folder / "index.npy")
                    self.archive = np.load(name)  # !DLF201
                    self.first = self.index["id"][0], self.archive["id"][0]
                def __getitem__(self, i): return self.index["id"][i], self.archive["id"][i]
            def main(folder, name):
                print(list(DataLoader(Rows(folder, name), num_workers=2)))
            """,
        ),
        program(
            "a table that is read whole, and one that is read in chunks",
            """
            import pandas as pd
            from torch.utils.data import Dataset
            class Table(Dataset):
                def __init__(self, path, size, **options):
                    self.rows = pd.read_csv(path, **options)
                    self.chunks = pd.read_csv(path, chunksize=size)  # !DLF206
                def __getitem__(self, i): return self.rows.iloc[i]
            """,
        ),
        program(
            "a class of a library that is defined twice in its module",
            """
            from torch.utils.data import Dataset
            class Rows(Dataset):
                def __getitem__(self, i): return i
            class Rows(Dataset):
                def __getitem__(self, i): return i + 1
            """,
        ),
        program(
            "a connection that a helper opens for a global, in a parent that counts its rows",
            """
            import sqlite3
            from torch.utils.data import DataLoader, Dataset
            _connection = None
            def _open(path):
                return sqlite3.connect(path)  # !DLF211
            def connection(path):
                global _connection
                if _connection is None:
                    _connection = _open(path)
                return _connection
            class Rows(Dataset):
                def __init__(self, path):
                    self.path = path
                    self.n = connection(path).execute("select count(*) from rows").fetchone()[0]
                def __len__(self): return self.n
                def __getitem__(self, i):
                    return connection(self.path).execute("select ?", (i,)).fetchone()
            def main():
                print(list(DataLoader(Rows("rows.db"), num_workers=2)))
            """,
        ),
        program(
            "a connection that a helper opens for a global, in a parent that does not ask for it",
            """
            import sqlite3
            from torch.utils.data import DataLoader, Dataset
            _connection = None
            def _open(path):
                return sqlite3.connect(path)
            def connection(path):
                global _connection
                if _connection is None:
                    _connection = _open(path)
                return _connection
            class Rows(Dataset):
                def __init__(self, path): self.path = path
                def __len__(self): return 4
                def __getitem__(self, i):
                    return connection(self.path).execute("select ?", (i,)).fetchone()
            def main():
                print(list(DataLoader(Rows("rows.db"), num_workers=2)))
            """,
        ),
        program(
            "a table of files on a class",
            """
            import h5py
            from torch.utils.data import DataLoader, Dataset
            class Files:
                table = {}
                @classmethod
                def get(cls, path):
                    if path not in cls.table:
                        cls.table[path] = h5py.File(path)  # !DLF211
                    return cls.table[path]
            class Rows(Dataset):
                def __init__(self, path):
                    self.path = path
                    self.n = len(Files.get(path)["rows"])
                def __len__(self): return self.n
                def __getitem__(self, i): return Files.get(self.path)["rows"][i]
            def main():
                print(list(DataLoader(Rows("rows.h5"), num_workers=2)))
            """,
        ),
        program(
            "a queue of threads where a thread runs the method, one of processes where a process does",
            """
            import multiprocessing, queue, threading
            from settings import options
            class Reader:
                def __init__(self):
                    if options.single:
                        self.queue = queue.Queue()
                    else:
                        self.queue = multiprocessing.Queue()
                def start(self):
                    if options.single:
                        worker = threading.Thread(target=self.update)
                    else:
                        worker = multiprocessing.Process(target=self.update)
                    worker.start()
                def update(self): self.queue.put(1)
            """,
        ),
        program(
            "a queue of threads where another option chooses the process",
            """
            import multiprocessing, queue, threading
            from settings import options
            class Reader:
                def __init__(self):
                    if options.single:
                        self.queue = queue.Queue()  # !DLF204
                    else:
                        self.queue = multiprocessing.Queue()
                def start(self):
                    if options.slow:
                        worker = threading.Thread(target=self.update)
                    else:
                        worker = multiprocessing.Process(target=self.update)
                    worker.start()
                def update(self): self.queue.put(1)
            """,
        ),
        program(
            "a flag of the object that chooses its queue and its process",
            """
            import multiprocessing, queue, threading
            class Reader:
                def __init__(self, single):
                    self.single = single
                    self.queue = queue.Queue() if self.single else multiprocessing.Queue()
                def start(self):
                    if self.single:
                        worker = threading.Thread(target=self.update)
                        worker.start()
                    else:
                        worker = multiprocessing.Process(target=self.update)
                        worker.start()
                def update(self): self.queue.put(1)
            """,
        ),
        program(
            "an array of a cache that a function of another module changes, and one that is filled",
            """
            --- changes.py
            def center_(rows):
                rows -= rows.mean()
                return rows
            --- main.py
            import numpy as np
            from torch.utils.data import DataLoader, Dataset
            from changes import center_
            class Rows(Dataset):
                def __init__(self):
                    self.cache = {}
                    self.sums = {}
                def __getitem__(self, i):
                    if i not in self.cache:
                        self.cache[i] = np.load(f"{i}.npy")
                    self.sums[i] = np.zeros(3)
                    self.sums[i] += self.cache[i].sum()
                    return center_(self.cache[i])  # !DLF502
            def main():
                print(list(DataLoader(Rows(), num_workers=2)))
            """,
        ),
    ],
)
def test_the_marked_lines_are_found_and_no_others(tmp_path: Path, text: str) -> None:
    check(tmp_path, text)
