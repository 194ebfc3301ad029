"""Files that a parser opens, rows of a database, ends of sockets, browsers, modules, and handles that are closed again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.marked import check, program

PROGRAMS = [
    program(
        "a folder whose path has a path on the right",
        """
        from pathlib import Path
        from torch.utils.data import DataLoader, Dataset
        class Files(Dataset):
            def __init__(self, root, name, scale):
                self.names = ("data" / Path(name)).iterdir()  # !DLF206
                below = root / Path("extra")
                self.more = below.rglob("*.txt")  # !DLF206
                self.other = (root / scale).iterdir()
                self.every = sorted((root / Path(name)).iterdir())
            def __len__(self): return 3
            def __getitem__(self, i): return i
        def main(args):
            DataLoader(Files(args.root, "x", args.scale), num_workers=2)
        """,
    ),
    program(
        "a file that a parser opens is sent with the arguments",
        """
        import argparse
        from torch.utils.data import DataLoader, Dataset
        class Lines(Dataset):
            def __init__(self, args):
                self.args = args
                self.lines = args.input.readlines()
            def __len__(self): return len(self.lines)
            def __getitem__(self, i): return self.lines[i]
        def main():
            parser = argparse.ArgumentParser()
            parser.add_argument("input", type=argparse.FileType("r"))  # !DLF205
            parser.add_argument("--depth", type=int)
            DataLoader(Lines(parser.parse_args()), num_workers=2)
        if __name__ == "__main__":
            main()
        """,
    ),
    program(
        "a file that a parser opens is sent by itself",
        """
        from argparse import ArgumentParser, FileType
        from torch.utils.data import DataLoader, Dataset
        class Lines(Dataset):
            def __init__(self, source): self.source = source
            def __getitem__(self, i): return self.source.readline()
        def main():
            parser = ArgumentParser()
            parser.add_argument("-i", "--in-file", type=FileType("rb"))  # !DLF205
            args = parser.parse_args()
            DataLoader(Lines(args.in_file), num_workers=2)
        if __name__ == "__main__":
            main()
        """,
    ),
    program(
        "what is read of a parser's file, or put in its place, is sent without it",
        """
        import argparse
        from torch.utils.data import DataLoader, Dataset
        class Lines(Dataset):
            def __init__(self, lines): self.lines = lines
            def __getitem__(self, i): return self.lines[i]
        class Named(Dataset):
            def __init__(self, args):
                args.input.close()
                args.input = args.input.name
                self.args = args
            def __getitem__(self, i): return i
        def main():
            parser = argparse.ArgumentParser()
            parser.add_argument("input", type=argparse.FileType("r"))
            args = parser.parse_args()
            DataLoader(Lines(args.input.readlines()), num_workers=2)
            DataLoader(Named(args), num_workers=2)
        if __name__ == "__main__":
            main()
        """,
    ),
    program(
        "rows of a connection that gives `sqlite3.Row` are sent",
        """
        import sqlite3
        from torch.utils.data import DataLoader, Dataset
        class Rows(Dataset):
            def __init__(self, path):
                with sqlite3.connect(path) as connection:
                    connection.row_factory = sqlite3.Row
                    self.rows = connection.execute("SELECT * FROM t").fetchall()  # !DLF206
                    self.first = connection.cursor().execute("SELECT * FROM t").fetchone()  # !DLF206
                    self.all = list(connection.execute("SELECT * FROM t"))  # !DLF206
                    self.kept = [row for row in connection.execute("SELECT * FROM t")]  # !DLF206
                    self.named = {}
                    for row in connection.execute("SELECT * FROM t"):  # !DLF206
                        self.named[row["id"]] = row
            def __getitem__(self, i): return self.rows[i]["text"]
        if __name__ == "__main__":
            DataLoader(Rows("x.db"), num_workers=2)
        """,
    ),
    program(
        "tuples, and what is made of rows, are sent as they are",
        """
        import sqlite3
        from torch.utils.data import DataLoader, Dataset
        class Tuples(Dataset):
            def __init__(self, path):
                connection = sqlite3.connect(path)
                self.rows = connection.execute("SELECT * FROM t").fetchall()
                connection.close()
            def __getitem__(self, i): return self.rows[i][0]
        class Dicts(Dataset):
            def __init__(self, path):
                connection = sqlite3.connect(path)
                connection.row_factory = sqlite3.Row
                cursor = connection.cursor()
                self.rows = [dict(row) for row in cursor.execute("SELECT * FROM t")]
                self.texts = [row["text"] for row in cursor.execute("SELECT * FROM t")]
                self.first = cursor.execute("SELECT * FROM t").fetchone()["text"]
                self.tuples = list(map(tuple, cursor.execute("SELECT * FROM t")))
                connection.close()
            def __getitem__(self, i): return self.rows[i]
        class Made(Dataset):
            def __init__(self, path):
                connection = sqlite3.connect(path)
                connection.row_factory = lambda cursor, row: dict(enumerate(row))
                self.rows = connection.execute("SELECT * FROM t").fetchall()
                connection.close()
            def __getitem__(self, i): return self.rows[i]
        if __name__ == "__main__":
            for data in (Tuples("x.db"), Dicts("x.db"), Made("x.db")):
                DataLoader(data, num_workers=2)
        """,
    ),
    program(
        "a file made of one end of a pair of sockets is sent; the end itself may be",
        """
        import multiprocessing, socket
        class Reader:
            def __init__(self, end): self.file = end.makefile("rb")  # !DLF201
            def run(self): print(self.file.readline())
        def read(end): print(end.recv(1))
        if __name__ == "__main__":
            one, other = socket.socketpair()
            multiprocessing.Process(target=Reader(one).run).start()
            multiprocessing.Process(target=read, args=(one,)).start()
        """,
    ),
    program(
        "a handle that can be pickled once it is closed, and is closed where it is kept",
        """
        import bz2, lzma, os
        import numpy as np
        from torch.utils.data import DataLoader, Dataset
        class Closed(Dataset):
            def __init__(self, path):
                self.number = os.open(path, os.O_RDONLY)
                self.size = os.fstat(self.number).st_size
                os.close(self.number)
                self.bz2 = bz2.open(path)
                self.head = self.bz2.read(4)
                self.bz2.close()
                self.arrays = np.load(path + ".npz")
                self.x = self.arrays["x"]
                self.arrays.close()
                with lzma.open(path) as self.xz:
                    self.tail = self.xz.read()
            def __getitem__(self, i): return self.x[i]
        if __name__ == "__main__":
            DataLoader(Closed("x"), num_workers=2)
        """,
    ),
    program(
        "archives and arrays by how their paths end, of which an attribute keeps a list",
        """
        from pathlib import Path
        import numpy as np
        from torch.utils.data import DataLoader, Dataset
        class Views(Dataset):
            def __init__(self, folder, names, more):
                self.paths = [Path(folder, f"{name}.npz") for name in names]
                self.rows = [Path(folder, f"{name}.npy") for name in names]
                self.mixed = [Path(folder, "a.npz"), Path(folder, "a.npy"), *more]
                self.views, self.arrays, self.unknown = [], [], []
                for path in self.paths:
                    self.views.append(np.load(path))  # !DLF201
                for path in self.rows:
                    self.arrays.append(np.load(path))
                for path in self.mixed:
                    self.unknown.append(np.load(path))
            def __getitem__(self, i): return self.views[0]["x"][i]
        if __name__ == "__main__":
            DataLoader(Views("x", ["y"], []), num_workers=2)
        """,
    ),
    program(
        "a module of a package that is kept, however it is imported; a function of it may be",
        """
        import numpy.random as draws
        from pycocotools import mask
        from torch.nn import functional as F
        from torch.utils.data import DataLoader, Dataset
        class Masks(Dataset):
            def __init__(self):
                self.mask = mask  # !DLF206
                self.draws = draws  # !DLF206
                self.functional = F  # !DLF206
                self.relu = F.relu
                self.area = mask.area
            def __getitem__(self, i): return self.mask.area(i)
        if __name__ == "__main__":
            DataLoader(Masks(), num_workers=2)
        """,
    ),
    program(
        "the browser of a scraper whose method a pool runs",
        """
        from multiprocessing import Pool
        from selenium import webdriver
        class Scraper:
            def __init__(self): self.driver = webdriver.Chrome()  # !DLF201
            def title(self, url):
                self.driver.get(url)
                return self.driver.title
        if __name__ == "__main__":
            with Pool(2) as pool:
                print(pool.map(Scraper().title, ["http://localhost"]))
        """,
    ),
    program(
        "an array of a path is mapped, one of an open file cannot be",
        """
        import numpy as np
        from iopath.common.file_io import g_pathmgr
        from torch.utils.data import DataLoader, Dataset
        class Labels(Dataset):
            def __init__(self, path):
                try:
                    with g_pathmgr.open(path, "rb") as file:
                        self.labels = np.load(file, mmap_mode="r")
                except ValueError:
                    self.labels = np.load(path, mmap_mode="r")  # !DLF601
            def __getitem__(self, i): return self.labels[i]
        if __name__ == "__main__":
            DataLoader(Labels("x.npy"), num_workers=2)
        """,
    ),
    program(
        "a handle that is closed on one path alone, or cannot be pickled when it is closed",
        """
        import bz2, os, zipfile
        from torch.utils.data import DataLoader, Dataset
        class Perhaps(Dataset):
            def __init__(self, path, keep):
                self.number = os.open(path, os.O_RDONLY)  # !DLF202
                if not keep:
                    os.close(self.number)
                self.text = bz2.open(path, "rt")  # !DLF201
                self.text.close()
                self.archive = zipfile.ZipFile(path)  # !DLF201
                self.archive.close()
                self.other = bz2.open(path)  # !DLF201
                if keep:
                    return
                self.other.close()
            def __getitem__(self, i): return i
        if __name__ == "__main__":
            DataLoader(Perhaps("x", True), num_workers=2)
        """,
    ),
]


@pytest.mark.parametrize("text", PROGRAMS)
def test_programs(text: str, tmp_path: Path) -> None:
    check(tmp_path, text)
