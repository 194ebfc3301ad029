"""Plans of `notebook_modules`: what leaves a notebook, and the module that takes it."""

from __future__ import annotations

from dataclasses import dataclass

from dlfix.source.text import Span


@dataclass(frozen=True)
class Replaced:
    """A stretch of the notebook's text, and what takes its place; an empty stretch is an insertion."""

    span: Span
    text: str


@dataclass(frozen=True)
class CellsPlan:
    """What changes in the cells."""

    replaced: tuple[Replaced, ...]


@dataclass(frozen=True)
class Imported:
    """`import module as name`, or with `member`, `from module import member as name`."""

    module: str
    member: str = ""
    name: str = ""

    @property
    def written(self) -> str:
        """The name with what it is called here: `numpy as np`."""
        what = self.member or self.module
        return what if self.name in ("", what) else f"{what} as {self.name}"


@dataclass(frozen=True)
class ModulePlan:
    """What the module gets: imports, and definitions in their order, each a whole statement."""

    title: str  # the docstring of a new module
    imports: tuple[Imported, ...]
    definitions: tuple[str, ...]
