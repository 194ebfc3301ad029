"""Fetches the first batch of the first loader under one start method, for real."""

import functools
import sys
import time
from multiprocessing import process

from .batches import digest, summary
from .places import call_place, error_data
from .watch import Stop, without_workers


class Run:
    """Fetches the first batch of the first loader under one start method, for real."""

    def __init__(self, report, method):
        self.report = report
        self.method = method  # "none" for no workers
        self.inside = False  # a loader of ours starts its workers
        self.loaders = []

    def take(self, loaders):
        """Fetch from the first of some loaders."""
        for loader in loaders:
            next(iter(loader))

    def watch_processes(self):
        """Stand at `Process.start`: what a process of its own would do is never run."""
        start = process.BaseProcess.start

        @functools.wraps(start)
        def started(one):
            kind = "" if self.inside else starter(one)
            if kind:
                self.report.write("other", kind=kind, place=call_place())
            if kind == "Process":
                raise Stop
            return start(one)

        process.BaseProcess.start = started

    def watch(self, module):
        """Stand at the loader's iteration."""
        loader_class = module.DataLoader
        real = loader_class._get_iterator

        @functools.wraps(real)
        def iterate(loader):
            if self.inside:
                return real(loader)
            self.inside = True
            self.fetch(loader, real)
            raise Stop

        loader_class._get_iterator = iterate

    def fetch(self, loader, real):
        """Fetch the first batch and report it."""
        kind, forced = type(loader).__name__, loader.num_workers == 0
        self.report.write("boundary", number=1, kind=kind, place=call_place(), forced=forced)
        seed_all()
        start = time.perf_counter()
        try:
            batch = next(self._iterator(loader, real))
        except Exception as error:
            self.report.write("fetched", ok=False, error=error_data(error))
            return
        took = round(time.perf_counter() - start, 3)
        self.report.write(
            "fetched", ok=True, batch=summary(batch), digest=digest(batch), seconds=took
        )

    def _iterator(self, loader, real):
        if self.method == "none":
            return without_workers(loader, real)
        force_workers(loader)
        loader.multiprocessing_context = self.method
        return real(loader)


def force_workers(loader):
    """Give a loader that has no workers one, as its argument `num_workers=1` would."""
    if loader.num_workers == 0:
        loader.num_workers = 1
        loader.prefetch_factor = loader.prefetch_factor or 2  # torch's default with workers


def starter(started):
    """Return what starts a process: a `Pool`, an executor, the program itself, or a helper ("")."""
    if "PoolWorker" in started.name:
        return "Pool"
    module = getattr(started._target, "__module__", "") or ""
    if module == "concurrent.futures.process":
        return "ProcessPoolExecutor"
    return "" if module.startswith("multiprocessing.") else "Process"


def seed_all():
    """Seed what a program draws from, so that runs can be compared."""
    import random

    random.seed(0)
    for name, seed in (
        ("numpy", lambda m: m.random.seed(0)),
        ("torch", lambda m: m.manual_seed(0)),
    ):
        if name in sys.modules:
            seed(sys.modules[name])
