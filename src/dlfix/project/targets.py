"""The oldest Python that a file has to run on, as its project declares it."""

from __future__ import annotations

import ast
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from dlfix.project.roots import PACKAGING, packaging_text

if TYPE_CHECKING:
    from dlfix.project.module import Module

_AT_LEAST = r"[\"']?\s*(?:>=|~=|==|\^)\s*3\.(\d+)"
_PASSED = re.compile(r"python_requires\s*=\s*([A-Za-z_]\w*)\s*[,)]")
_REQUIRES = re.compile(
    rf"(?:requires-python|python_requires)\s*=\s*{_AT_LEAST}"
    r"|^python\s*=\s*[\"'](?:>=|~|\^)\s*3\.(\d+)",  # of Poetry
    re.MULTILINE,
)
_BELOW = re.compile(
    r"(?:requires-python|python_requires|^python)\s*=[^\n]*<\s*3\.(\d+)", re.MULTILINE
)
# Files that name the one Python that a project is run with.
_PINNING = {
    **dict.fromkeys(("environment.yml", "environment.yaml", "conda.yml", "conda.yaml", "cog.yaml", "Pipfile"),
                    re.compile(r"\bpython(?:_version)?[\"']?\s*[:=<>~^]+\s*[\"']?3\.(\d+)")),
    **dict.fromkeys((".python-version", "runtime.txt"), re.compile(r"^(?:python-)?3\.(\d+)")),
}  # fmt: skip
_OLD_TORCH = re.compile(
    r"\btorch\s*={1,2}\s*(?:0\.|1\.(?:\d|1[0-2])(?!\d))"
)  # no release of it runs on Python 3.11
_REQUIREMENTS = ("requirements.txt", "environment.yml", "environment.yaml", *PACKAGING)
_GENERICS = frozenset({"Dict", "List", "Tuple", "Set", "FrozenSet", "Type"})
_CACHES_PROPERTIES = 8  # the minor version from which there is `functools.cached_property`
_GIVES_STATE = 11  # the minor version from which on each object has a `__getstate__`
_SUBSCRIPTED = 9  # the minor version from which `dict[str, object]` can be evaluated


def python_of(path: Path) -> tuple[int, int]:
    """Return the Python by which a file is judged: the one that runs, as far as its project supports that."""
    major, minor = sys.version_info[:2]
    oldest, below = oldest_minor(path), _first_unsupported(path)
    minor = min(minor, below - 1) if below is not None else minor
    return major, max(minor, oldest or 0)


def _first_unsupported(path: Path) -> int | None:
    """Return the minor version of the first Python 3 that a file's project does not support, if it says so."""
    for folder in path.parents:
        for name in PACKAGING:
            text = packaging_text(os.path.join(folder, name))
            if _REQUIRES.search(text):
                found = _BELOW.search(text)
                return int(found[1]) if found is not None else None
    return None


def oldest_minor(path: Path) -> int | None:
    """Return the minor version of the oldest Python 3 that a file's project supports, if it says so."""
    for folder in path.parents:
        for name in PACKAGING:
            text = packaging_text(os.path.join(folder, name))
            found = _REQUIRES.search(text) or _required_by_name(text)
            if found is not None:
                return int(next(group for group in found.groups() if group))
        pinned = [*_pinned(folder)]
        if pinned:
            return min(pinned)
    return None


def asks_for_state(path: Path) -> bool:
    """Return whether pickle may look for a `__getstate__` that an object has not: before Python 3.11."""
    return (oldest_minor(path) or 0) < _GIVES_STATE


def surely_asks_for_state(path: Path) -> bool:
    """Return whether a file's project says that it runs on a Python whose pickle looks for a `__getstate__`."""
    oldest = oldest_minor(path)
    if oldest is not None:
        return oldest < _GIVES_STATE
    texts = (
        packaging_text(os.path.join(folder, name))
        for folder in path.parents
        for name in _REQUIREMENTS
    )
    return any(map(_OLD_TORCH.search, texts))


def has_cached_property(path: Path) -> bool:
    """Return whether a file may use `functools.cached_property`, as far as its project says."""
    return (oldest_minor(path) or _CACHES_PROPERTIES) >= _CACHES_PROPERTIES


def _pinned(folder: Path) -> Iterator[int]:
    """Yield the minor versions of the environments that a folder describes."""
    for name, pattern in _PINNING.items():
        found = pattern.search(packaging_text(os.path.join(folder, name)))
        if found is not None:
            yield int(found[1])


def _required_by_name(text: str) -> re.Match[str] | None:
    """Return where a text says the version under a name that it passes on: `python_requires=REQUIRES`."""
    passed = _PASSED.search(text)
    return passed and re.search(rf"^{passed[1]}\s*=\s*{_AT_LEAST}", text, re.MULTILINE)


def evaluates_generics(module: Module) -> bool:
    """Return whether `-> dict[str, object]` may be written: it fails on Python 3.8."""
    future = [
        alias.name
        for node in module.tree.body
        if isinstance(node, ast.ImportFrom) and node.module == "__future__"
        for alias in node.names
    ]
    if "annotations" in future:
        return True
    oldest = oldest_minor(module.path)
    return not _spells_generics(module) if oldest is None else oldest >= _SUBSCRIPTED


def _spells_generics(module: Module) -> bool:
    """Return whether a file imports `Dict` or `List`, as Python 3.8 needs them."""
    return any(
        node.module == "typing" and any(alias.name in _GENERICS for alias in node.names)
        for node in module.nodes(ast.ImportFrom)
    )
