"""Pickling as a start of workers would, into nothing: what it costs, and how it fails."""

import sys
import time
from multiprocessing import context
from multiprocessing.reduction import ForkingPickler

FAILS = (Exception, SystemExit)  # what an object's own code may raise while it is pickled


class Sending:
    """Stands for the process being spawned: locks, queues and descriptors ask for it."""

    method = "spawn"

    def __init__(self):
        self.fds = []

    def duplicate_for_child(self, fd):
        """Note a descriptor that the child is to inherit."""
        self.fds.append(fd)
        return fd

    def DupFd(self, fd):  # noqa: N802
        """Return what a spawning Popen of multiprocessing returns."""
        from multiprocessing import popen_spawn_posix

        return popen_spawn_posix._DupFd(self.duplicate_for_child(fd))

    def __enter__(self):
        self.before = context.get_spawning_popen()
        context.set_spawning_popen(self)
        return self

    def __exit__(self, *exc):
        context.set_spawning_popen(self.before)


class Sink:
    """A file that counts what is written and keeps nothing."""

    def __init__(self):
        self.bytes = 0
        self.shared = 0

    def write(self, data):
        """Count."""
        size = data.nbytes if isinstance(data, memoryview) else len(data)
        self.bytes += size
        return size

    def buffer(self, buffer):
        """Count a buffer that pickle would have copied; keep pickle from copying it."""
        self.bytes += buffer.raw().nbytes


def measure(obj):
    """Pickle an object into nothing; return its bytes, the bytes of tensors beside, milliseconds."""
    sink = Sink()
    pickler = ForkingPickler(sink, 5, True, sink.buffer)
    _count_tensors(pickler, sink)
    _count_mapped(pickler, sink)
    start = time.perf_counter()
    with Sending():
        pickler.dump(obj)
    return {
        "bytes": sink.bytes,
        "shared": sink.shared,
        "ms": round((time.perf_counter() - start) * 1000, 3),
    }


def _count_tensors(pickler, sink):
    """Count a tensor's memory rather than move it to shared memory, as a real start does."""
    torch = sys.modules.get("torch")
    storage = getattr(torch, "UntypedStorage", None)
    if storage is None or storage not in pickler.dispatch_table:
        return
    really = pickler.dispatch_table[storage]

    def count(value):
        if value.device.type != "cpu":
            return really(value)
        sink.shared += 0 if value.is_shared() else value.nbytes()
        return (bytes, (bytes(160),))

    pickler.dispatch_table[storage] = count


def _count_mapped(pickler, sink):
    """Count a memmap's data, which a real start copies whole, without reading it."""
    memmap = getattr(sys.modules.get("numpy"), "memmap", None)
    if memmap is None or memmap in pickler.dispatch_table:
        return

    def count(value):
        sink.bytes += value.nbytes
        return (bytes, (bytes(120),))

    pickler.dispatch_table[memmap] = count


def failure(obj):
    """Return the exception that pickling an object raises, or None."""
    try:
        measure(obj)
    except FAILS as error:
        return error
    return None
