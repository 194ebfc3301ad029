"""Small programs, and the paths of what crosses in them: one word for each edge, then the value.

`collate_fn lambda` hangs from the boundary's own argument; `dataset.transform[0] lambda` from an item of
an attribute; `.func` and `(x)` are a partial's function and what it binds, `.__self__` a method's object.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from dlfix.catalog import load
from dlfix.project.project import Project
from dlfix.reach.analysis import Analysis, analyze
from dlfix.reach.crossing import Crossing, Edge
from dlfix.reach.labels import label
from dlfix.reach.values import Function, Generator, ModuleValue
from dlfix.rules.reading.handles import kind_row, row_of

PRELUDE = """\
import functools, sqlite3, threading
import torch
from torch.utils.data import DataLoader, Dataset

class Keep:
    def __init__(self, kept=None, other=None):
        self.kept = kept
        self.other = other
"""
SEPARATOR = "# file: "
CATALOG = load()


@dataclass(frozen=True)
class Case:
    """A program (one file, or several after `# file:` lines) and the paths that must come out."""

    source: str
    paths: tuple[str, ...]


def row(name: str, source: str, *paths: str) -> object:
    """Return a row of a table: a sentence, a program, the paths of its culprits."""
    return pytest.param(Case(textwrap.dedent(source), paths), id=name)


def analysis_of(folder: Path, source: str, prelude: str = PRELUDE) -> Analysis:
    """Write a program's files and return its analysis."""
    paths = [write(folder, name, text) for name, text in files(source, prelude)]
    return analyze(Project([p for p in paths if p.suffix == ".py"]), CATALOG)


def files(source: str, prelude: str) -> Iterator[tuple[str, str]]:
    """Yield the names and texts of a program's files; the prelude heads a lone one."""
    if SEPARATOR not in source:
        yield "main.py", prelude + source
        return
    for part in source.split(SEPARATOR)[1:]:
        name, _, text = part.partition("\n")
        yield name.strip(), text


def write(folder: Path, name: str, text: str) -> Path:
    """Write one file, with the folders above it."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def paths(analysis: Analysis) -> set[str]:
    """Return the paths of functions, handles, generators and modules that cross."""
    return {
        f"{place(crossing)} {label(crossing.value)}"
        for crossing in analysis.crossings
        if is_told(crossing, analysis)
    }


def is_told(crossing: Crossing, analysis: Analysis) -> bool:
    """Return whether a crossing's value is one that the tables speak of."""
    value = crossing.value
    known = row_of(value, analysis) or kind_row(value, analysis)
    if known is not None:
        return known.kind != "plain"
    return isinstance(value, (Function, Generator, ModuleValue))


def place(crossing: Crossing) -> str:
    """Return the edges from the boundary to a crossing."""
    line = [crossing, *crossing.above()]
    return "".join(word(c.edge) for c in reversed(line) if c.parent is not None)


def word(edge: Edge) -> str:
    """Return how an edge is written in a path."""
    if edge.kind in ("argument", "class"):
        return edge.name
    words = {"item": "[{}]", "bound": "({})", "function": ".func", "self": ".__self__"}
    return words.get(edge.kind, ".{}").format(
        edge.name or ("state" if edge.kind == "state" else "")
    )
