"""What goes on to replace a file once it is made, whatever code runs then: a handler of logs that begins a new one."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from dlfix.catalog import FunctionRow, load
from dlfix.fixing.proof.library_calls import files_written
from dlfix.fixing.proof.program import Program
from dlfix.project.library_names import uses
from dlfix.project.module import Module


class Replacing(NamedTuple):
    """A place that makes such an object, and what names the files that it replaces."""

    module: Module
    node: ast.expr
    files: list[ast.expr]


class ReplacingLater:
    """Knows all such places of one program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.made = [
            each for full, row in load().replacing_later.items() for each in self._made(full, row)
        ]

    def _made(self, full: str, row: FunctionRow) -> Iterator[Replacing]:
        for module, node in uses(self.program.project, full):
            match module.parent(node):
                case ast.Call(func=func) as call if func is node:
                    yield Replacing(module, call, files_written(row, call))
                case ast.ClassDef() as heir:
                    yield from self._by_heirs(module, heir, row)
        yield from self._configured(full)

    def _by_heirs(
        self, module: Module, heir: ast.ClassDef, row: FunctionRow
    ) -> Iterator[Replacing]:
        """Yield where objects are made of a class that is derived from one of a library."""
        cls = self.program.class_at(module, heir)
        for home, call in self.program.constructions(cls) if cls is not None else ():
            own = self.program.method(cls, "__init__") if cls is not None else None
            given = [*call.args, *(each.value for each in call.keywords)]
            yield Replacing(home, call, files_written(row, call) if own is None else given)

    def _configured(self, full: str) -> Iterator[Replacing]:
        """Yield the dicts that `logging.config.dictConfig` makes such an object of."""
        for module in self.program.project.mentions(full.rpartition(".")[2]):
            for node in module.nodes(ast.Dict):
                entries = {
                    key.value: value
                    for key, value in zip(node.keys, node.values, strict=True)
                    if isinstance(key, ast.Constant)
                }
                made = entries.get("class", entries.get("()"))
                if isinstance(made, ast.Constant) and made.value == full:
                    yield Replacing(
                        module, node, [v for k, v in entries.items() if k == "filename"]
                    )


__all__ = ["Replacing", "ReplacingLater"]
