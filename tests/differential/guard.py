"""Handles of generated programs that raise when another process uses them."""

import builtins
import gzip
import importlib
import os
import sys

import process_guard

# What these open gives out objects of the same library, which are guarded as well.
WRAPPED = (
    "sqlite3.connect",
    "h5py.File",
    "lmdb.open",
    "zipfile.ZipFile",
    "tarfile.open",
    "shelve.open",
)


class GuardedFile:
    """A file of the process that opened it; what it reads is not guarded."""

    def __init__(self, handle):
        vars(self).update(_handle=handle, _pid=os.getpid())

    def _use(self):
        if os.getpid() != self._pid:
            raise process_guard.UsedInAnotherProcess("a file was opened in another process")
        return self._handle

    def __getattr__(self, attribute):
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        return getattr(self._use(), attribute)

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._use())

    def __enter__(self):
        self._use().__enter__()
        return self

    def __exit__(self, *error):
        return self._use().__exit__(*error)

    def __getitem__(self, key):
        return self._use()[key]

    def __len__(self):
        return len(self._use())

    def __contains__(self, key):
        return key in self._use()

    def __reduce_ex__(self, protocol):
        raise TypeError(f"cannot pickle {type(self._handle).__name__!r} object")


def install():
    """Guard what the program opens, if the job asks for it."""
    if not os.environ.get("DIFFERENTIAL_GUARD"):
        return
    process_guard.install([dotted for dotted in WRAPPED if dotted.partition(".")[0] in sys.modules])
    _guard_files(builtins, "open")
    _guard_files(gzip, "open")
    if "numpy" in sys.modules:
        _guard_files(importlib.import_module("numpy"), "load")


def _guard_files(module, name):
    opener = getattr(module, name)

    def open_guarded(*args, **kwargs):
        handle = opener(*args, **kwargs)
        caller = sys._getframe(1).f_code.co_filename
        ours = caller.startswith(os.environ["DIFFERENTIAL_GUARD"])
        return GuardedFile(handle) if ours and hasattr(handle, "close") else handle

    setattr(module, name, open_guarded)
