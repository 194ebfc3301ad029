"""Warm processes for golden programs: torch is imported once, not once for each worker.

Preloaded by the fork server, which stands in for `spawn` too: a child of it has torch imported and
nothing else, receives everything pickled, and imports the program as `__mp_main__`, as a spawned one does.
What a fresh interpreter would inherit besides (its output, the environment) is handed over here.
"""

import gc
import importlib
import json
import os
import sys
from multiprocessing import forkserver, popen_forkserver, popen_spawn_posix, spawn

import process_groups

LIBRARIES = ("numpy", "torch", "torch.utils.data", "h5py", "lmdb", "sqlite3")
# What a worker imports before it begins, and what starts one.
OF_WORKERS = ("numpy.random", "multiprocessing.queues", "multiprocessing.synchronize")
for library in (*LIBRARIES, *OF_WORKERS):
    try:
        importlib.import_module(library)
    except ImportError:
        continue

_prepare = spawn.prepare
_preparation_data = spawn.get_preparation_data


def preparation_data(name):
    """Add what a spawned process inherits from the one that starts it."""
    return _preparation_data(name) | {"inherited": dict(os.environ)}


def prepare(data):
    """Take up what was handed over, then import the program."""
    os.environ.clear()
    os.environ.update(data["inherited"])
    process_groups.join(int(os.environ["GOLDEN_GROUP"]))
    redirect(os.environ["GOLDEN_STDERR"], os.environ["GOLDEN_STDOUT"])
    guard_openers()
    seed()
    _prepare(data)


def redirect(stderr, stdout=None):
    """Send this process' output to files."""
    for path, number in ((stdout, 1), (stderr, 2)):
        if path is not None:
            file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            os.dup2(file, number)
            os.close(file)


def guard_openers():
    """Let what the named functions open be used only in the process that opened it."""
    import process_guard

    process_guard.install(json.loads(os.environ.get("GOLDEN_GUARD", "[]")))


def seed():
    """Give a process numbers of its own, as one that imports NumPy by itself has."""
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed()


class SpawnPopen(popen_forkserver.Popen):
    """Starts a spawned process out of the warm server."""

    method = "spawn"


def share_server():
    """Let a forked job use the server its parent started: it must not ask after its pid."""
    forkserver._forkserver.ensure_running = lambda: None
    popen_spawn_posix.Popen = SpawnPopen
    spawn.get_preparation_data = preparation_data


spawn.prepare = prepare
if "torch" in sys.modules:
    sys.modules["torch"].set_num_threads(1)
    # How long torch waits before it looks whether a worker died: 5 seconds in life.
    from torch.utils.data import _utils, dataloader

    _utils.MP_STATUS_CHECK_INTERVAL = 0.5
    dataloader._MultiProcessingDataLoaderIter._try_get_data.__defaults__ = (0.5,)

# No look for cycles goes through what was imported: it would copy all these pages into each child.
gc.collect()
gc.freeze()
