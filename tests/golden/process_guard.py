"""A stand-in for libraries that must not be carried into another process.

A handle opened through a guarded function remembers its process, and raises when it is used in
another one: what SQLite, HDF5 or LMDB would do in silence, or only now and then.
"""

import importlib
import os

SPECIAL = (
    "__getitem__", "__setitem__", "__contains__", "__iter__", "__next__", "__len__", "__enter__",
    "__exit__", "__call__", "__bool__",
)  # fmt: skip


class UsedInAnotherProcess(RuntimeError):
    """A handle is used in a process that did not open it."""


class Guarded:
    """A handle of the process that made it."""

    def __init__(self, handle, name):
        vars(self).update(_handle=handle, _name=name, _pid=os.getpid())

    def _use(self):
        if os.getpid() != self._pid:
            raise UsedInAnotherProcess(f"{self._name} was opened in another process")
        return self._handle

    def __getattr__(self, attribute):
        return _guard(getattr(self._use(), attribute), self._name)

    def __setattr__(self, attribute, value):
        setattr(self._use(), attribute, value)

    def __reduce_ex__(self, protocol):
        raise TypeError(f"cannot pickle {self._name!r} object")


def _special(method):
    def call(self, *arguments):
        handle = self._use()
        if method == "__bool__":
            return bool(handle)
        result = getattr(handle, method)(*arguments)
        return self if result is handle else _guard(result, self._name)

    return call


for _method in SPECIAL:
    setattr(Guarded, _method, _special(_method))


def _guard(value, name):
    if callable(value) and not isinstance(value, type) and hasattr(value, "__self__"):
        return lambda *args, **kwargs: _guard(value(*args, **kwargs), name)
    return Guarded(value, name) if _is_of(type(value), name.partition(".")[0]) else value


def _is_of(kind, library):
    """Return whether a library made a type: some of C say that they are of `builtins`."""
    if kind.__module__.partition(".")[0].lstrip("_") == library:
        return True
    return getattr(importlib.import_module(library), kind.__name__, None) is kind


def install(openers):
    """Guard functions by their dotted names, as `sqlite3.connect`."""
    for dotted in openers:
        module_name, _, name = dotted.rpartition(".")
        module = importlib.import_module(module_name)
        opener = getattr(module, name)
        if not hasattr(opener, "guarded"):
            setattr(module, name, _guarding(opener, dotted))


def _guarding(opener, dotted):
    def open_guarded(*args, **kwargs):
        return Guarded(opener(*args, **kwargs), dotted)

    open_guarded.guarded = True
    return open_guarded
