"""Codemods and their planners, by the names of the entry-point group `dlfix.codemods`."""

from __future__ import annotations

import functools
import importlib
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import libcst as cst

    from dlfix.fixing.plans import Planner

GROUP = "dlfix.codemods"


class Codemod(Protocol):
    """What carries out plans. Those of dlfix know its plans, so nothing here knows them but by name."""

    @staticmethod
    def rewrite(module: cst.Module, plan: Any) -> cst.Module:
        """Carry out one plan; code outside it stays to the byte."""


@functools.cache
def _entries() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=GROUP)}


def names() -> list[str]:
    """Return the names of all installed codemods."""
    return sorted(_entries())


@functools.cache
def codemod(name: str) -> type[Codemod]:
    """Load a codemod; raise LookupError where none is installed under this name."""
    entry = _entries().get(name)
    if entry is None:
        raise LookupError(f"no codemod `{name}` is installed")
    loaded: type[Codemod] = entry.load()
    return loaded


@functools.cache
def planner(name: str) -> Planner | None:
    """Return a codemod's planner: `dlfix.fixing.planners.<name>`, or what the codemod brings.

    A third party's codemod brings its planner as the attribute `planner` of its class.
    """
    module = f"dlfix.fixing.planners.{name}"
    try:
        own: Planner = importlib.import_module(module).plan
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
    else:
        return own
    if name not in _entries():
        return None
    brought: Planner | None = getattr(codemod(name), "planner", None)
    return brought
