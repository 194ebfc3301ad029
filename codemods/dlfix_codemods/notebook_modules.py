"""Moves definitions out of a notebook, into a module that worker processes can import."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import libcst as cst

from dlfix.fixing.plans_notebooks import CellsPlan, ModulePlan
from dlfix.fixing.rendering import code_of
from dlfix.source.text import Position
from dlfix_codemods.base import PlannedCodemod
from dlfix_codemods.tools import imports

_BLOCK = re.compile(r"^(?:@|async def |def |class )", re.MULTILINE)


class NotebookModules(PlannedCodemod):
    """Give what a notebook sends to workers a module that they can import it from."""

    NAME = "notebook_modules"
    DESCRIPTION = "Move definitions that a notebook sends to worker processes into a module."

    @staticmethod
    def rewrite(module: cst.Module, plan: CellsPlan | ModulePlan) -> cst.Module:
        """Take the definitions out of the cells, or put them into the module."""
        if isinstance(plan, CellsPlan):
            return cst.parse_module(_replaced(code_of(module), plan))
        return _extended(module, plan)


def _replaced(text: str, plan: CellsPlan) -> str:
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def offset(position: Position) -> int:
        return starts[position.row - 1] + position.column

    for one in sorted(plan.replaced, key=lambda each: each.span, reverse=True):
        text = text[: offset(one.span.start)] + one.text + text[offset(one.span.end) :]
    return text


def _extended(module: cst.Module, plan: ModulePlan) -> cst.Module:
    if not module.body:
        module = cst.parse_module(f'"""{plan.title}"""\n')
    for one in sorted(plan.imports, key=lambda each: (each.module, each.member)):
        module = imports.add(module, one.module, one.member or None, one.name)
    text = code_of(module).rstrip("\n")
    return cst.parse_module(text + "".join(_spaced(plan.definitions)) + "\n")


def _spaced(definitions: Iterable[str]) -> Iterator[str]:
    """Yield definitions with the blank lines above them: two around functions and classes."""
    gap = "\n\n"  # below the imports
    for text in definitions:
        is_block = _BLOCK.search(text) is not None
        yield "\n\n\n" if is_block else gap
        yield text
        gap = "\n\n\n" if is_block else "\n"


__all__ = ["NotebookModules"]
