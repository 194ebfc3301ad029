"""Descriptor numbers that are kept: in another process the same number is another file, or none."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.proof.changes import ClassChange, Regression
from dlfix.fixing.proof.program import Program
from dlfix.fixing.proof.state import dropped
from dlfix.fixing.proof.syntax import last_part
from dlfix.project.module import Module


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield where an attribute keeps the number of a handle that each process opens for itself."""
    opened = change.lazy.keys() | dropped(change).keys()
    for module, statement, number in _kept_numbers(change.new):
        handle = last_part(number.value)
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        kept = {each.attr for each in targets if isinstance(each, ast.Attribute)} - opened
        if handle in opened and kept:
            yield change.regression(
                next(iter(change.lazy.values()), change.after.node),
                f"`{min(kept)}` stores the file descriptor of `{handle}` "
                f"({module.path.name}:{number.lineno}), which is invalid in another "
                "process",
            )
            return


def _kept_numbers(
    program: Program,
) -> Iterator[tuple[Module, ast.Assign | ast.AnnAssign, ast.Attribute]]:
    for module in program.project.mentions("fileno"):
        for node in module.nodes_by_name.get("fileno", ()):
            call, statement = module.parent(node), module.statement(node)
            if not isinstance(node, ast.Attribute) or not isinstance(call, ast.Call):
                continue
            if isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value is call:
                yield module, statement, node


__all__ = ["check"]
