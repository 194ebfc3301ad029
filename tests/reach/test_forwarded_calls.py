"""Pools, and the methods of pools, that code is handed: returned, yielded, passed, entered."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.marked import check, program

PROGRAMS = [
    program(
        "a context manager of the project yields a pool's method",
        """
        import contextlib
        import multiprocessing
        @contextlib.contextmanager
        def mapper(workers):
            if not workers:
                yield map
                return
            with multiprocessing.get_context("spawn").Pool(workers) as pool:
                yield pool.imap
        def main(n):
            with mapper(n) as run:
                print(list(run(lambda x: x, [1, 2])))  # !DLF101
        """,
    ),
    program(
        "a function returns a pool's method or the built-in one",
        """
        import multiprocessing
        def choose(pool):
            return map if pool is None else pool.map
        def main():
            with multiprocessing.Pool(2) as pool:
                run = choose(pool)
                run(lambda x: x, [1, 2])  # !DLF101
        """,
    ),
    program(
        "a helper of another module takes a pool's method by keyword",
        """
        --- helpers.py
        def each(function, items, mapper=map):
            return list(mapper(function, items))
        --- main.py
        import multiprocessing
        from helpers import each
        def main():
            with multiprocessing.Pool(2) as pool:
                each(lambda x: x, [1], mapper=pool.map)  # !DLF101
        """,
    ),
    program(
        "a helper that only takes the built-in one sends nothing",
        """
        --- helpers.py
        def each(function, items, mapper=map):
            return list(mapper(function, items))
        --- main.py
        import multiprocessing
        from helpers import each
        def main():
            each(lambda x: x, [1])
            with multiprocessing.Pool(2) as pool:
                pool.map(abs, [1])
        """,
    ),
    program(
        "a pool that entering the object starts is part of it when its methods are sent",
        """
        import multiprocessing
        class Scores:
            def __init__(self):
                self.pool = None
            def __enter__(self):
                self.pool = multiprocessing.get_context("spawn").Pool(2)  # !DLF204
                return self
            def __exit__(self, *error):
                self.pool.terminate()
            def score(self, x):
                return x
            def all(self):
                return self.pool.map(self.score, [1, 2])
        def main():
            with Scores() as scores:
                print(scores.all())
        """,
    ),
    program(
        "handles that a generator expression opens are unpacked",
        """
        import zipfile
        from torch.utils.data import DataLoader, Dataset
        class Pairs(Dataset):
            def __init__(self, images, masks):
                self.images, self.masks = images, masks
            def __len__(self):
                return 1
            def __getitem__(self, index):
                return self.images.read(str(index)), self.masks.read(str(index))
        def main(paths):
            images, masks = (zipfile.ZipFile(path) for path in paths)  # !DLF205
            for batch in DataLoader(Pairs(images, masks), num_workers=2):
                print(batch)
        """,
    ),
    program(
        "two local names that are each set to the other are no parameter",
        """
        import h5py
        from torch.utils.data import DataLoader, Dataset
        class Rows(Dataset):
            def __init__(self, path):
                first = second
                second = first
                self.file = first or h5py.File(path)  # !DLF201
            def __getitem__(self, index):
                return self.file["x"][index]
        def main():
            for row in DataLoader(Rows("x"), num_workers=2):
                print(row)
        """,
    ),
    program(
        "a forked pool has the parent's names",
        """
        import multiprocessing
        FORK = multiprocessing.get_context("fork")
        FUNCTION = None
        def call(x):
            return FUNCTION(x)
        def parallel(function, items):
            global FUNCTION
            FUNCTION = function
            with FORK.Pool(2) as pool:
                return pool.map(call, items)
        def main():
            print(parallel(lambda x: x, [1]))
        """,
    ),
]


@pytest.mark.parametrize("text", PROGRAMS)
def test_programs(tmp_path: Path, text: str) -> None:
    check(tmp_path, text)


SPREAD = """\
from torch.utils.data import DataLoader
class Rows:
    def __init__(self, path): self.file = open(path)  # !DLF201
    def __len__(self): return 2
    def __getitem__(self, index): return index
class Texts(Rows):
    def __init__(self, path): self.text = open(path)  # !DLF201
class Fast(DataLoader):
    def __init__(self, *args, **kwargs): super().__init__(*args, **kwargs)
def fast(*args, **kwargs): return DataLoader(*args, **kwargs)
if __name__ == "__main__":
    print([*{first}(Rows("a"), 2, num_workers=2)], [*{second}(Texts("b"), num_workers=2)])
"""


@pytest.mark.parametrize("first", ["Fast", "fast"])
def test_what_several_callers_pass_on_by_place_is_followed(first: str, tmp_path: Path) -> None:
    check(tmp_path, SPREAD.format(first=first, second=first))
