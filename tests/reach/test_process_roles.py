"""Code that workers run, and objects that their own script keeps to itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.marked import check, program

STREAM = """
        from itertools import islice
        from torch.utils.data import DataLoader, IterableDataset
        class Lines(IterableDataset):
            def __init__(self, path):
                self.path, self._file = path, None
            def __iter__(self):  # !DLF501
                if self._file is None: self._file = open(self.path){mark}
                yield from self._file
        def preview(lines): return list(islice(lines, 2))
        def send(lines):
            for batch in DataLoader(lines, num_workers=2): print(batch)
        def main():
            {use}
"""
PROCESS = """
        import multiprocessing
        class Shard(multiprocessing.Process):
            def __init__(self, path):
                super().__init__()
                self.path, self.handle = path, None
            def open(self): self.handle = open(self.path){mark}
            def rows(self):
                self.open()
                yield from map(str.upper, self.handle)
            def run(self): print(list(self.rows()))
            def go(self):
                self.open()
                self.start()
        if __name__ == "__main__":
            {use}
"""
COPY = """
        import copy
        from torch.utils.data import DataLoader, Dataset
        class Tokens(Dataset):
            def __init__(self, path, file=None): self.path, self.file = path, file
            def detached(self, found):
                other = copy.copy(self)
                {use}
                return other
            def __getitem__(self, i): return self.path
        def main():
            tokens = Tokens("x", open("x")){mark}
            DataLoader(tokens.detached([]), num_workers=2)
"""
FOUND, PASSED = "  # !DLF203", "  # !DLF205"
PROGRAMS = [
    program(
        "what an object opens whose class is not named where the parent has it do so",
        """
        --- main.py
        from torch.utils.data import DataLoader
        from reader import Reader
        from rows import Rows, level
        def main():
            reader = Reader("rows")
            held, train = Rows(reader, [0]), Rows(reader, [1, 2])
            print(level(held))
            for batch in DataLoader(train, num_workers=2): print(batch)
        --- reader.py
        class Reader:
            def __init__(self, path):
                self.path, self._file = path, None
            def line(self, number):
                if self._file is None:
                    self._file = open(self.path)  # !DLF203
                self._file.seek(number)
                return self._file.read(1)
        --- rows.py
        from torch.utils.data import Dataset
        class Rows(Dataset):
            def __init__(self, reader, numbers): self.reader, self.numbers = reader, numbers
            def __len__(self): return len(self.numbers)
            def __getitem__(self, i): return self.reader.line(self.numbers[i])
        def level(rows): return rows[0]
        """,
    ),
    program(
        "what it opens in workers alone",
        """
        --- main.py
        from torch.utils.data import DataLoader
        from reader import Reader
        from rows import Rows, level
        def main():
            reader = Reader("rows")
            train = Rows(reader, [1, 2])
            print(level([0]))
            for batch in DataLoader(train, num_workers=2): print(batch)
        --- reader.py
        class Reader:
            def __init__(self, path):
                self.path, self._file = path, None
            def line(self, number):
                if self._file is None:
                    self._file = open(self.path)
                self._file.seek(number)
                return self._file.read(1)
        --- rows.py
        from torch.utils.data import Dataset
        class Rows(Dataset):
            def __init__(self, reader, numbers): self.reader, self.numbers = reader, numbers
            def __len__(self): return len(self.numbers)
            def __getitem__(self, i): return self.reader.line(self.numbers[i])
        def level(rows): return rows[0]
        """,
    ),
    program(
        "what an object opens whose method goes to a pool",
        """
        import sqlite3
        from concurrent.futures import ProcessPoolExecutor
        class Core:
            def __init__(self): self.db = None
            def _open(self):
                if self.db is None:
                    self.db = sqlite3.connect("rows")  # !DLF203
                return self.db
            @property
            def size(self): return self._open().total_changes
        class Counts:
            def __init__(self, core): self.core = core
            def parts(self): return range(self.core.size)
            def count(self, part): return self.core._open().total_changes + part
        def count(counts, pool): return [pool.submit(counts.count, part) for part in counts.parts()]
        def main():
            with ProcessPoolExecutor(2) as pool: print(count(Counts(Core()), pool))
        """,
    ),
    program(
        "what a method that a loader is given has its object open",
        """
        import sqlite3
        from torch.utils.data import DataLoader
        class Rows:
            def __init__(self): self.db = None
            def read(self, items):
                if self.db is None:
                    self.db = sqlite3.connect("rows")
                return self.db.execute("select 1").fetchall(), items
        class Loader(DataLoader):
            def __init__(self, rows):
                self.rows = rows
                super().__init__(range(4), collate_fn=self.join, num_workers=2)
            def join(self, items): return self.rows.read(items)
        def main():
            for batch in Loader(Rows()): print(batch)
        """,
    ),
    program(
        "what such a method has its object open, which the parent calls as well",
        """
        import sqlite3
        from torch.utils.data import DataLoader
        class Rows:
            def __init__(self): self.db = None
            def read(self, items):
                if self.db is None:
                    self.db = sqlite3.connect("rows")  # !DLF203
                return self.db.execute("select 1").fetchall(), items
        class Loader(DataLoader):
            def __init__(self, rows):
                self.rows = rows
                super().__init__(range(4), collate_fn=self.join, num_workers=2)
            def join(self, items): return self.rows.read(items)
        def main():
            loader = Loader(Rows())
            loader.join([0])
            for batch in loader: print(batch)
        """,
    ),
    program(
        "what a method adds that is only handed to a process",
        """
        import multiprocessing as mp
        class Server:
            def __init__(self, requests):
                self.requests, self.started = requests, {}
            def run(self):
                self.start(self.requests.get())
            def start(self, name):
                worker = mp.Process(target=print, args=(name,))
                worker.start()
                self.started[name] = worker
        def main():
            mp.Process(target=Server(mp.Queue()).run).start()
        """,
    ),
    program(
        "what a method adds that the parent calls as well",
        """
        import multiprocessing as mp
        class Server:
            def __init__(self, requests):
                self.requests, self.started = requests, {}
            def run(self):
                self.start(self.requests.get())
            def start(self, name):
                worker = mp.Process(target=print, args=(name,)) # !DLF204
                worker.start()
                self.started[name] = worker
        def main():
            server = Server(mp.Queue())
            server.start("first")
            mp.Process(target=server.run).start()
        """,
    ),
    program(
        "what a method adds whose namesake is handed to a process",
        """
        import multiprocessing as mp
        import threading
        from torch.utils.data import DataLoader
        class Other:
            def start(self): pass
        class Rows:
            def __init__(self): self.locks = []
            def __len__(self): return 3
            def __getitem__(self, i): return i
            def start(self):
                self.locks.append(threading.Lock()) # !DLF204
        def main(setup):
            mp.Process(target=Other().start).start()
            rows = Rows()
            setup(rows)
            DataLoader(rows, num_workers=2)
        """,
    ),
    program(
        "what an object of another subclass passes to a method of the base",
        """
        from multiprocessing import Process
        class Base(Process):
            def __init__(self):
                super().__init__()
                self.jobs = []
            def add(self, job):
                self.jobs.append(job)
        class Search(Base): pass
        class Import(Base):
            def compact(self):
                self.add(lambda: 2)
        if __name__ == "__main__":
            search = Search()
            search.add(print)
            search.start()
        """,
    ),
    program(
        "what a base passes to a method of an object of a subclass",
        """
        from multiprocessing import Process
        class Base(Process):
            def __init__(self):
                super().__init__()
                self.jobs = []
            def add(self, job):
                self.jobs.append(job)
            def compact(self):
                self.add(lambda: 2) # !DLF101
        class Search(Base): pass
        if __name__ == "__main__":
            search = Search()
            search.compact()
            search.start()
        """,
    ),
    program(
        "a handle that a worker_init_fn opens is not of the parent",
        """
        import h5py
        from torch.utils.data import DataLoader, Dataset, get_worker_info
        class D(Dataset):
            def __init__(self, p):
                self.p, self.f = p, None
            def open(self): self.f = h5py.File(self.p)
            def __getitem__(self, i): return self.f["x"][i]
        def init(i):
            get_worker_info().dataset.open()
        if __name__ == "__main__":
            DataLoader(D("x"), num_workers=2, worker_init_fn=init)
        """,
    ),
    program(
        "a handle that the parent opens by a method is sent",
        """
        import h5py
        from torch.utils.data import DataLoader, Dataset
        class Rows(Dataset):
            def __init__(self, path):
                self.path, self.file = path, None
            def open(self):
                self.file = h5py.File(self.path)  # !DLF203
            def __getitem__(self, i):
                return self.file["x"][i]
        def main(path):
            rows = Rows(path)
            rows.open()
            DataLoader(rows, num_workers=2)
        """,
    ),
    program(
        "a property that the parent reads opens what is sent",
        """
        import functools
        import tarfile
        from torch.utils.data import DataLoader, Dataset
        class Shard:
            def __init__(self, path):
                self.path = path
            @functools.cached_property
            def tar(self):
                return tarfile.open(self.path)  # !DLF203
            @property
            def names(self):
                return self.tar.getnames()
        class Lines(Dataset):
            def __init__(self, paths):
                self.shards = [Shard(path) for path in paths]
            def __getitem__(self, i):
                return self.shards[0].tar.extractfile(str(i)).read()
        def main(paths):
            lines = Lines(paths)
            print(sum(len(shard.names) for shard in lines.shards))
            DataLoader(lines, num_workers=2)
        """,
    ),
    program(
        "a property that only the worker reads opens nothing in the parent",
        """
        import functools
        import tarfile
        from torch.utils.data import DataLoader, Dataset
        class Shard:
            def __init__(self, path):
                self.path = path
            @functools.cached_property
            def tar(self):
                return tarfile.open(self.path)
        class Other:
            tar = None
        class Lines(Dataset):
            def __init__(self, paths):
                self.shards = [Shard(path) for path in paths]
            def __getitem__(self, i):
                return self.shards[0].tar.extractfile(str(i)).read()
        def main(paths):
            print(Other().tar)
            DataLoader(Lines(paths), num_workers=2)
        """,
    ),
    program(
        "a dataset that a script only iterates, and another only reads from, is not sent",
        """
        from torch.utils.data import DataLoader, Dataset
        class D(Dataset):
            def __init__(self, p): self.f = open(p)
            def __getitem__(self, i): return self.f.readline()
            def __len__(self): return 3
        class E(Dataset):
            def __init__(self, d): self.rows = [x for x in d]
            def __getitem__(self, i): return self.rows[i]
        if __name__ == "__main__":
            d = D("x")
            DataLoader(E(d), num_workers=2)
            for x in d: print(x)
        """,
    ),
    program(
        "a dataset that another keeps is sent",
        """
        from torch.utils.data import DataLoader, Dataset
        class Lines(Dataset):
            def __init__(self, path):
                self.file = open(path)  # !DLF201
            def __getitem__(self, i):
                return self.file.readline()
        class Upper(Dataset):
            def __init__(self, lines):
                self.lines = lines
            def __getitem__(self, i):
                return self.lines[i].upper()
        if __name__ == "__main__":
            DataLoader(Upper(Lines("x")), num_workers=2)
        """,
    ),
    program(
        "what a stream opens that the parent goes through",
        STREAM.format(
            mark=FOUND, use='lines = Lines("x"); print(next(islice(lines, 1))); send(lines)'
        ),
    ),
    program(
        "what a stream opens that a function of the parent goes through",
        STREAM.format(mark=FOUND, use='lines = Lines("x"); print(preview(lines)); send(lines)'),
    ),
    program(
        "what a stream opens that only workers go through",
        STREAM.format(mark="", use='lines = Lines("x"); print(lines.path); send(lines)'),
    ),
    program(
        "what a stream opens in the parent once all workers have run",
        STREAM.format(mark="", use='lines = Lines("x"); send(lines); print(next(iter(lines)))'),
    ),
    program(
        "what a stream opens of which the parent goes through another",
        STREAM.format(mark="", use='seen = Lines("y"); print(preview(seen)); send(Lines("x"))'),
    ),
    program(
        "what a process opens that is only asked for rows",
        PROCESS.format(mark="", use='print(list(Shard("x").rows()))'),
    ),
    program(
        "what a process opens that starts itself", PROCESS.format(mark=FOUND, use='Shard("x").go()')
    ),
    program(
        "what a copy lacks when a method gives it out",
        COPY.format(mark="", use="other.file = None"),
    ),
    program(
        "what a copy lacks at times", COPY.format(mark=PASSED, use="if found: other.file = None")
    ),
    program(
        "what a copy lacks too late",
        COPY.format(mark=PASSED, use="found.append(other); other.file = None"),
    ),
]


@pytest.mark.parametrize("text", PROGRAMS)
def test_findings_are_those_marked(text: str, tmp_path: Path) -> None:
    check(tmp_path, text)
