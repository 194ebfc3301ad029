"""Stands at each boundary of the running program, and stops it where workers would start."""

import contextlib
import functools
import importlib
import importlib.abc
import importlib.util
import multiprocessing
import os
import sys
import threading
from multiprocessing import context, process

from .boundaries import (
    ASKED,
    first_of,
    loader_boundary,
    method_of,
    process_parts,
    task_boundary,
    worker_loop_parts,
)
from .places import call_place
from .probe import Boundary


class Stop(BaseException):
    """Raised where the workers would start: the program has done its part."""


class Watch:
    """Stands at each boundary of the running program."""

    def __init__(self, probe, go_on):
        self.probe = probe
        self.go_on = go_on
        self.loaders = []  # all that were made and have workers
        self.idle = []  # and the first of those that have none
        self.at_idle = False  # whether the program was stopped at one of these
        self.examined = set()
        self.met = 0
        self.stops = 0
        self.go_on_inside = False  # within a pool's own starting of its workers

    @contextlib.contextmanager
    def inside(self):
        """Let everything pass that starts within."""
        before, self.go_on_inside = self.go_on_inside, True
        try:
            yield
        finally:
            self.go_on_inside = before

    def stop(self):
        """End the program here; one that swallows it again and again is ended for good."""
        self.met += 1
        if self.go_on:
            return
        self.stops += 1
        if self.stops > 3 or threading.current_thread() is not threading.main_thread():
            self.finish()
            self.probe.report.write("end", how="stopped")
            os._exit(0)
        raise Stop

    def finish(self):
        """Examine the loaders that were made and not yet started."""
        if self.go_on:
            return
        self.take(self.loaders)
        if self.at_idle or not self.met:
            self.take(self.idle)

    def take(self, loaders):
        """Examine those of some loaders that were not yet."""
        for loader in loaders:
            if id(loader) not in self.examined:
                self.met += 1
                self.loader(loader, loader.__dict__.get("_dlfix_place"))

    def loader(self, loader, place=None):
        """Examine a loader as its workers would start, and as they would start once more."""
        first = id(loader) not in self.examined
        self.examined.add(id(loader))
        boundary = loader_boundary(loader, place)
        if not first:
            self.probe.examine(boundary, when="next epoch")
            return
        fine = self.probe.examine(boundary)
        if fine and not getattr(loader, "persistent_workers", False) and boundary.draw():
            self.probe.examine(boundary, when="next epoch")


MOST_IDLE = 20  # loaders without workers that are kept to be examined


def watch_processes(watch):
    """Stand at `Process.start`."""
    start = process.BaseProcess.start

    @functools.wraps(start)
    def stopped(self):
        module = getattr(self._target, "__module__", "") or ""
        if module.startswith("multiprocessing.") or watch.go_on_inside:
            return start(self)
        own = worker_loop_parts(self)
        if own:  # of a loader with an iterator of its own
            watch.examined.update(id(each) for each in watch.loaders if each.dataset is own[0][1])
        kind, parts = ("DataLoader", own) if own else ("Process", process_parts(self))
        method = self._start_method or method_of(None)
        watch.probe.examine(Boundary(kind, parts, call_place(), 1, method))
        watch.stop()
        return start(self)

    process.BaseProcess.start = stopped


def watch_pools(watch):
    """Stand at the methods of `multiprocessing.Pool` that send tasks; start none of its workers."""
    from multiprocessing import pool

    real = pool.Pool.__init__

    @functools.wraps(real)
    def init(self, processes=None, initializer=None, initargs=(), maxtasks=None, context=None):
        if watch.go_on or isinstance(self, pool.ThreadPool):
            with watch.inside():
                real(self, processes, initializer, initargs, maxtasks, context)
            return
        self._state, self._pool, self._processes = pool.CLOSE, [], processes or os.cpu_count()
        self._initializer, self._initargs = initializer, initargs
        self._ctx = context

    pool.Pool.__init__ = init
    for name in ("_check_running", "close", "join", "terminate"):
        setattr(pool.Pool, name, unless_dead(getattr(pool.Pool, name)))
    for name in ("apply", "apply_async"):
        setattr(pool.Pool, name, sends_call(watch, getattr(pool.Pool, name)))
    for name in ("map", "map_async", "imap", "imap_unordered", "starmap", "starmap_async"):
        setattr(pool.Pool, name, sends_items(watch, getattr(pool.Pool, name), "star" in name))


def unless_dead(method):
    """Return a method that does nothing for a pool whose workers were never started."""

    @functools.wraps(method)
    def call(self):
        return method(self) if hasattr(self, "_worker_handler") else None

    return call


def pool_task(watch, pool, func, args, kwargs):
    """Examine a pool's task."""
    from multiprocessing.pool import ThreadPool

    if isinstance(pool, ThreadPool) or watch.go_on_inside:
        return
    watch.probe.examine(task_boundary(pool, func, args, kwargs))
    watch.stop()


def sends_call(watch, method):
    """Wrap `Pool.apply` and the like."""

    @functools.wraps(method)
    def call(self, func, args=(), kwds=None, *rest, **named):
        pool_task(watch, self, func, args, kwds or {})
        with watch.inside():
            return method(self, func, args, kwds or {}, *rest, **named)

    return call


def sends_items(watch, method, star):
    """Wrap `Pool.map` and the like."""

    @functools.wraps(method)
    def call(self, func, iterable, *rest, **named):
        items, first = first_of(iterable)
        pool_task(watch, self, func, first[0] if star and first else first, {})
        with watch.inside():
            return method(self, func, items, *rest, **named)

    return call


def watch_executors(watch):
    """Stand at `ProcessPoolExecutor.submit` and `.map`."""
    from concurrent.futures import ProcessPoolExecutor as Executor

    submit, map_ = Executor.submit, Executor.map

    def look(self, func, args, kwargs):
        watch.probe.examine(task_boundary(self, func, args, kwargs))
        watch.stop()

    @functools.wraps(submit)
    def submitted(self, fn, *args, **kwargs):
        if not watch.go_on_inside:
            look(self, fn, args, kwargs)
        with watch.inside():
            return submit(self, fn, *args, **kwargs)

    @functools.wraps(map_)
    def mapped(self, fn, *iterables, **named):
        pairs = [first_of(iterable) for iterable in iterables]
        look(self, fn, [item for _, first in pairs for item in first], {})
        with watch.inside():
            return map_(self, fn, *(items for items, _ in pairs), **named)

    Executor.submit, Executor.map = submitted, mapped


def watch_loaders(watch, module):
    """Stand where `torch.utils.data.DataLoader` starts its workers."""
    loader_class = module.DataLoader
    real, init = loader_class._get_iterator, loader_class.__init__

    @functools.wraps(init)
    def made(self, *args, **kwargs):
        init(self, *args, **kwargs)
        kept = watch.loaders if self.num_workers > 0 else watch.idle
        if self.num_workers > 0 or len(kept) < MOST_IDLE:
            self.__dict__["_dlfix_place"] = call_place()
            kept.append(self)

    @functools.wraps(real)
    def iterate(self):
        watch.at_idle = self.num_workers == 0
        watch.loader(self, call_place())
        watch.stop()
        return without_workers(self, real)

    loader_class.__init__, loader_class._get_iterator = made, iterate


def without_workers(loader, real):
    """Return a loader's iterator in this process, as with no workers."""
    saved = loader.num_workers, loader.timeout
    loader.num_workers, loader.timeout = 0, 0
    try:
        return real(loader)
    finally:
        loader.num_workers, loader.timeout = saved


def when_imported(name, function):
    """Call `function(module)` once the module is imported, or now."""
    if name in sys.modules:
        function(sys.modules[name])
        return
    sys.meta_path.insert(0, Finder(name, function))


class Finder(importlib.abc.MetaPathFinder):
    """Finds a module as the others do, and has a function called once it ran."""

    def __init__(self, name, function):
        self.name = name
        self.function = function

    def find_spec(self, name, path=None, target=None):
        """Return the module's own spec, its loader wrapped."""
        if name != self.name:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return None
        run = spec.loader.exec_module

        def exec_module(module):
            run(module)
            self.function(module)

        spec.loader.exec_module = exec_module
        return spec


def prefer_spawn():
    """Make spawn the default where the program does not ask for another method."""
    context._default_context._default_context = context._concrete_contexts["spawn"]
    real = multiprocessing.set_start_method

    @functools.wraps(real)
    def set_start_method(method, force=False):
        real(method, force)
        ASKED.append(method)

    multiprocessing.set_start_method = set_start_method
