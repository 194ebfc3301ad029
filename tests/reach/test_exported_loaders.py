"""Loaders that a module of the project gives another name."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.marked import check, program

PROGRAMS = [
    program(
        "a pool or an executor that another file makes",
        """
        --- pools.py
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import Pool
        def make_pool(n): return Pool(n)
        class Runner:
            def __init__(self, n):
                self.pool = Pool(n)
                self.executor = ProcessPoolExecutor(n)
        --- jobs.py
        def run(executor, items): return list(executor.map(lambda x: x, items))  # !DLF101
        --- main.py
        import pandas
        from jobs import run
        from pools import Runner, make_pool
        def main(frame: pandas.DataFrame):
            make_pool(4).map(lambda x: x, [1])  # !DLF101
            runner = Runner(4)
            runner.pool.apply(lambda x: x, (1,))  # !DLF101
            run(runner.executor, [1])
            frame["a"].map(lambda x: x)
            frame.apply(lambda row: row)
        if __name__ == "__main__":
            main(pandas.read_csv("x.csv"))
        """,
    ),
    program(
        "a process whose class derives from another file's process",
        """
        --- base.py
        from multiprocessing import Process
        class Base(Process):
            def connect(self):
                self.start()
                return self
        --- search.py
        import threading
        from base import Base
        class Search(Base):
            def __init__(self):
                super().__init__()
                self.lock = threading.RLock() # !DLF204
        class Fast(Search): pass
        --- main.py
        from search import Fast
        if __name__ == "__main__":
            Fast().connect()
        """,
    ),
    program(
        "a loader whose class derives from another file's loader",
        """
        --- base.py
        from torch.utils.data import DataLoader
        class Base(DataLoader): pass
        --- quick.py
        from base import Base
        class Quick(Base): pass
        --- main.py
        from quick import Quick
        def main(rows):
            Quick(rows, num_workers=2, collate_fn=lambda b: b) # !DLF101
        """,
    ),
    program(
        "a process whose class a subclass says",
        """
        --- base.py
        import multiprocessing
        from typing import Optional
        class Base(multiprocessing.Process): pass
        class Manager:
            KIND: Optional[Base] = None
            def start(self):
                for _ in range(2):
                    self.KIND().start()
        --- testing.py
        import threading
        from base import Base, Manager
        class Tester(Base):
            def __init__(self):
                super().__init__()
                self.lock = threading.Lock() # !DLF204
        class TesterManager(Manager):
            KIND: Base = Tester
        --- main.py
        from testing import TesterManager
        if __name__ == "__main__":
            TesterManager().start()
        """,
    ),
    program(
        "a loader that an object keeps under a name of its own",
        """
        --- config.py
        from torch.utils.data import DataLoader
        class Config:
            def __init__(self): self.make = DataLoader
        --- main.py
        from config import Config
        def main(rows):
            Config().make(rows, num_workers=2, collate_fn=lambda b: b) # !DLF101
        """,
    ),
    program(
        "a class that a subclass says and that is no process",
        """
        --- base.py
        import multiprocessing
        class Base(multiprocessing.Process): pass
        class Other: KIND = Base
        class Manager:
            KIND = None
            def start(self): self.KIND().start()
        --- testing.py
        import threading
        from base import Manager
        class Tester:
            def __init__(self): self.lock = threading.Lock()
            def start(self): pass
        class TesterManager(Manager):
            KIND = Tester
        --- main.py
        from testing import TesterManager
        if __name__ == "__main__":
            TesterManager().start()
        """,
    ),
    program(
        "a class that derives from another file's process only by name",
        """
        --- base.py
        class Process:
            def start(self): pass
        --- search.py
        import threading
        from base import Process
        class Search(Process):
            def __init__(self): self.lock = threading.RLock()
        --- main.py
        from search import Search
        if __name__ == "__main__":
            Search().start()
        """,
    ),
    program(
        "a process whose object only runs its code here",
        """
        import queue
        from multiprocessing import Process
        class Scan(Process):
            def __init__(self, results):
                super().__init__()
                self.results = results
            def run(self): self.results.put(1)
        def inline():
            Scan(queue.Queue()).run()
        def parallel():
            Scan(queue.Queue()).start() # !DLF204
        if __name__ == "__main__":
            inline()
            parallel()
        """,
    ),
    program(
        "a loader that a package exports under another name",
        """
        --- pkg/loading.py
        from torch.utils.data import DataLoader as _Loader
        Loader = _Loader
        --- pkg/__init__.py
        from .loading import Loader as BatchLoader
        --- main.py
        import pkg
        from pkg import BatchLoader
        def main(rows):
            BatchLoader(rows, num_workers=2, collate_fn=lambda b: b) # !DLF101
            pkg.BatchLoader(rows, num_workers=2, collate_fn=lambda b: b[0]) # !DLF101
        """,
    ),
    program(
        "what fastai makes loaders of, under a name that a star import brings",
        """
        from fastai.vision.all import *
        def main(path, files):
            a = ImageDataLoaders.from_name_func(path, files, label_func=lambda f: f[0]) # !DLF101
            b = ImageDataLoaders.from_path_func(path, files, lambda f: f.name, num_workers=2) # !DLF101
            c = ImageDataLoaders.from_path_func(path, files, lambda f: f.name, num_workers=0)
            return a, b, c
        """,
    ),
    program(
        "what a block of fastai is made with, sent by the loaders that it makes",
        """
        from fastai.vision.all import *
        def main(path):
            block = DataBlock(
                (ImageBlock,), get_items=lambda p: [p], splitter=lambda x: ([0], [1]),
                get_y=[lambda p: p.stem], # !DLF101
                item_tfms=lambda x: x, # !DLF101
            )
            return block.dataloaders(path, bs=8)
        def alone(path):
            return DataBlock(get_x=lambda p: p).dataloaders(path, num_workers=0)
        """,
    ),
    program(
        "a dataset whose base a star import of fastai brings",
        """
        import lmdb
        from fastai.vision import *
        class Images(Dataset):
            def __init__(self, path):
                self.env = lmdb.open(path) # !DLF201
            def __getitem__(self, i):
                return self.env.begin().get(i)
        """,
    ),
    program(
        "a class of the project that has the name a loader is exported under",
        """
        --- loading.py
        from torch.utils.data import DataLoader as Loader
        --- other.py
        class Loader:
            def __init__(self, rows, num_workers, collate_fn): self.rows = rows
        --- main.py
        import loading
        from other import Loader
        def main(rows):
            Loader(rows, num_workers=2, collate_fn=lambda b: b)
        """,
    ),
    program(
        "a pool that a module exports under another name",
        """
        --- pools.py
        from multiprocessing import Pool as Workers
        --- main.py
        from pools import Workers
        def main(rows):
            with Workers(2, initializer=lambda: None) as workers: # !DLF101
                workers.map(print, rows)
        """,
    ),
]


@pytest.mark.parametrize("text", PROGRAMS)
def test_findings_are_those_marked(text: str, tmp_path: Path) -> None:
    check(tmp_path, text)
