"""What libraries name and make that is surely an object, and not None, whatever else it is."""

from __future__ import annotations

import builtins
import collections
import functools
import itertools
import operator
from typing import TYPE_CHECKING

from dlfix.project.roots import STANDARD

if TYPE_CHECKING:
    from dlfix.catalog import Catalog

# Their public functions and classes are no None, nor is what these give to be handed on.
_OF_ARRAYS = frozenset({"torch", "torchvision", "torchaudio", "numpy"})
_PERHAPS_NONE = frozenset({"numpy.newaxis", "tempfile.tempdir"})
_PERHAPS_NONE_IN = ("sys.", "torch.version.")
_PYTHON = {
    module.__name__: module for module in (builtins, collections, functools, itertools, operator)
}
_MAKING = frozenset(
    {"open", "len", "sorted", "repr", "abs", "round", "divmod", "dir", "hash", "id"}
)
_OF_PATHS = "os.path."


def is_builtin(name: str) -> bool:
    """Return whether a name is one of a builtin function or class."""
    return callable(getattr(builtins, name.removeprefix("builtins."), None))


def is_object(name: str) -> bool:
    """Return whether a dotted name stands for a class, a function or a module."""
    home, _, last = name.rpartition(".")
    if not home or is_builtin(name):
        return is_builtin(name)
    if last.startswith("_") or name in _PERHAPS_NONE or name.startswith(_PERHAPS_NONE_IN):
        return False
    return _is_of(name, _OF_ARRAYS | STANDARD) or (last[:1].isupper() and not last.isupper())


def makes_object(name: str, catalog: Catalog) -> bool:
    """Return whether a call of what has a dotted name gives an object."""
    home, _, last = name.removeprefix("builtins.").rpartition(".")
    kind = getattr(_PYTHON.get(home or "builtins"), last, None)
    if isinstance(kind, type) or (not home and last in _MAKING):
        return True
    is_known = catalog.resource(name) or catalog.holder(name) or catalog.dataset(name)
    is_class = bool(home) and last[:1].isupper()
    return bool(is_known) or is_class or _is_of(name, _OF_ARRAYS) or name.startswith(_OF_PATHS)


def _is_of(name: str, roots: frozenset[str]) -> bool:
    return name.partition(".")[0] in roots
