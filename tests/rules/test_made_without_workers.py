"""What a function makes only where no workers are started, and definitions that get a path to be found by."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reach.marked import check, program

CHOOSING = """\
from torch.utils.data import DataLoader
class Scaled:
    def __init__(self, scale): self.scale = scale
    def __call__(self, batch): return batch
def choose(scale, workers, debug=False):
    if {test}:
        return Scaled(scale)
    def collate(batch):{found}
        return [each * scale for each in batch]
    return collate
def main(args, rows):
    DataLoader(rows, collate_fn=choose(2, {given}), num_workers=args.workers)
"""
NAMED = """\
from torch.utils.data import DataLoader, Dataset
def make(name, other):
    class Rows(Dataset):{found}
        def __len__(self): return 3
        def __getitem__(self, index): return index
    {naming}
    return Rows
def make_collate(name):
    def collate(batch): return batch
    collate.__name__ = collate.__qualname__ = name
    return collate
Made = make("Made", object)
Collate = make_collate("Collate")
def main():
    DataLoader(Made(), collate_fn=Collate, num_workers=2)
"""


def choosing(title, test, given, found=""):
    return program(title, CHOOSING.format(test=test, given=given, found=found))


def named(title, naming, found=""):
    return program(title, NAMED.format(naming=naming, found=found))


RUNNER = """\
import multiprocessing as mp
import queue
def work(tasks, log): pass
class Runner:
    def __init__(self, workers, quiet):
        self.workers = workers
        self.context = mp.get_context("spawn")
        self.log = {chosen}
        self.handle = None
        if workers == 0:
            self.handle = open("log")
    def set_quiet(self): {sets}
    def run(self):
        if {test}:
            work(queue.Queue(), self.log)
        else:
            self.context.Process(target=work, args=(self.context.Queue(), self.log)).start()
def main(args):
    Runner(args.workers, args.quiet).run()
"""


def running(title, test, chosen, sets="pass"):
    return program(title, RUNNER.format(test=test, chosen=chosen, sets=sets))


QUEUES = "self.context.Queue() if {} else queue.Queue()"
LOCAL, CLASS = "  # !DLF102", "  # !DLF103"
PROGRAMS = [
    choosing("with some workers", "workers > 0", "args.workers"),
    choosing("with any workers", "workers", "args.workers"),
    choosing("of another number", "workers > 0", "args.threads", LOCAL),
    choosing("with many workers", "workers > 4", "args.workers", LOCAL),
    choosing("of another test", "debug", "args.workers", LOCAL),
    running("a queue of the other number", "self.workers == 0", QUEUES.format("workers")),
    running("a queue of a greater number", "self.workers < 1", QUEUES.format("workers > 0")),
    running("a queue of any number", "not self.workers", QUEUES.format("self.workers != 0")),
    running("a queue of another flag", "self.workers == 0", QUEUES.format("quiet") + "  # !DLF204"),
    running("one of two tests", "self.workers == 0 or quiet", QUEUES.format("quiet or workers")),
    running(
        "one of two tests, which may hold",
        "self.workers == 0 and quiet",
        QUEUES.format("workers") + "  # !DLF204",
    ),
    running(
        "a queue of few workers", "self.workers == 0", QUEUES.format("workers > 1") + "  # !DLF204"
    ),
    running(
        "a number that is set again",
        "self.workers == 0",
        QUEUES.format("self.workers") + "  # !DLF204",
        "self.workers = 4",
    ),
    named("given a path", "Rows.__name__ = Rows.__qualname__ = name"),
    named("given a name alone", "Rows.__name__ = name", CLASS),
    named("given the path of another", "Rows.__qualname__ = other.__qualname__", CLASS),
    program(
        "a registry that keeps what the name does not lead to",
        """
        import functools
        from torch.utils.data import DataLoader
        KNOWN = {}
        def register(name):
            def decorate(function):
                KNOWN[name] = function
                return function
            return decorate
        def timed(function):
            @functools.wraps(function)
            def wrapper(*args): return function(*args)
            return wrapper
        @register("plain")
        def plain(batch): return batch
        @timed
        @register("timed")
        def kept(batch): return batch  # !DLF105
        @register("after")
        @timed
        def after(batch): return batch
        def main():
            DataLoader([1], collate_fn=KNOWN["plain"], num_workers=2)
            DataLoader([1], collate_fn=KNOWN["timed"], num_workers=2)
            DataLoader([1], collate_fn=KNOWN["after"], num_workers=2)
            DataLoader([1], collate_fn=kept, num_workers=2)
        """,
    ),
    program(
        "lambdas given a path",
        """
        import copyreg
        from torch.utils.data import DataLoader, Dataset
        def rebuilt(data): return memoryview(data)
        copyreg.pickle(memoryview, lambda view: (rebuilt, (view.tobytes(),)))
        center = lambda batch: batch
        center.__qualname__ = "center"
        scale = lambda batch: batch  # !DLF105
        class Views(Dataset):
            def __init__(self, data):
                self.views = [memoryview(data)[0:4].cast("i")]
            def __len__(self): return 1
            def __getitem__(self, index): return index
        def main():
            DataLoader(Views(b"1234"), collate_fn=center, num_workers=2)
            DataLoader([1, 2], collate_fn=scale, num_workers=2)
        """,
    ),
    named("given to another", "other.__qualname__ = name", CLASS),
    program(
        "a default that a branch without workers replaces",
        """
        from torch.utils.data import DataLoader
        def plain(args, rows):
            collate, workers = None, 4
            pin = False
            if args.debug:
                collate = lambda batch: batch[0]
                workers = 0
            elif args.many:
                workers = 8
            DataLoader(rows, collate_fn=collate, num_workers=workers, pin_memory=pin)
        def of_the_other(args, rows):
            collate = None
            workers = 4
            if args.slow:
                collate = lambda batch: batch[0]  # !DLF101
            if args.debug:
                workers = 0
            DataLoader(rows, collate_fn=collate, num_workers=workers)
        def not_yet_replaced(args, rows):
            collate = lambda batch: batch[0]  # !DLF101
            workers = 4
            DataLoader(rows, collate_fn=collate, num_workers=workers)
            if args.debug:
                workers = 0
        def maybe_replaced(args, rows):
            collate, workers = None, 4
            if args.debug:
                collate = lambda batch: batch[0]  # !DLF101
                for row in rows:
                    workers = 0
            DataLoader(rows, collate_fn=collate, num_workers=workers)
        def made_smaller(args, rows):
            collate = None
            workers = 4
            if args.debug:
                collate = lambda batch: batch[0]  # !DLF101
                workers -= 1
            DataLoader(rows, collate_fn=collate, num_workers=workers)
        """,
    ),
    program(
        "an attribute that a branch without workers replaces",
        """
        import threading
        from torch.utils.data import DataLoader, Dataset
        class Rows(Dataset):
            lock = None
            def __len__(self): return 3
            def __getitem__(self, index): return index
        class Trainer:
            def __init__(self, threads):
                self.rows = Rows()
                self.collate = None
                self.workers = 4
                if threads:
                    self.rows.lock = threading.Lock()
                    self.collate = lambda batch: batch
                    self.workers = 0
            def fit(self):
                DataLoader(self.rows, num_workers=self.workers, collate_fn=self.collate)
        class Other:
            def __init__(self, threads, debug):
                self.rows = Rows()
                self.workers = 4
                if threads:
                    self.rows.lock = threading.Lock()  # !DLF204
                if debug:
                    self.workers = 0
            def fit(self):
                DataLoader(self.rows, num_workers=self.workers)
        def main(args):
            Trainer(args.threads).fit()
            Other(args.threads, args.debug).fit()
        """,
    ),
]


@pytest.mark.parametrize("text", PROGRAMS)
def test_programs(text: str, tmp_path: Path) -> None:
    check(tmp_path, text)
