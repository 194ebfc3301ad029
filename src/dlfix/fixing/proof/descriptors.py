"""Descriptor numbers that are kept: in another process the same number is another file, or none."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.proof import order
from dlfix.fixing.proof.changes import ClassChange, Regression
from dlfix.fixing.proof.program import Program
from dlfix.fixing.proof.state import dropped
from dlfix.fixing.proof.syntax import (
    Function,
    called_in,
    calls_in,
    dotted,
    last_part,
    targets_of,
)
from dlfix.project.module import Module


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield where an attribute keeps the number of a handle that each process opens for itself, or loses one."""
    yield from _left_open(change)
    opened = change.lazy.keys() | dropped(change).keys()
    for module, statement, number in _kept_numbers(change.new):
        handle = last_part(number.value)
        targets = targets_of(statement)
        kept = {each.attr for each in targets if isinstance(each, ast.Attribute)} - opened
        if handle in opened and kept:
            yield change.regression(
                next(iter(change.lazy.values()), change.after.node),
                f"`{min(kept)}` stores the file descriptor of `{handle}` "
                f"({module.path.name}:{number.lineno}), which is invalid in another "
                "process",
            )
            return


def _left_open(change: ClassChange) -> Iterator[Regression]:
    """Yield the constructors that forget descriptor numbers, which nothing closes."""
    made = (call for _, function in change.constructed_before for call in calls_in(function.body))
    if not any(dotted(call.func) == "os.open" for call in made):
        return
    openers = {"open", *(each.name for each in change.after.functions if _opens(each))}
    for function in change.after.functions:
        fresh = change.fresh(function) if function.name in order.CONSTRUCTORS else []
        calls = called_in(fresh)
        deletes = any(isinstance(each, ast.Delete) for each in fresh)
        opens = any(
            isinstance(each, ast.Assign)
            and isinstance(each.targets[0], ast.Name)
            and calls & openers
            for each in fresh
        )
        if ("clear" in calls or deletes or opens) and "close" not in calls:
            yield change.regression(
                function,
                "the constructor no longer stores or closes the file descriptor (line "
                f"{function.lineno})",
            )
            return


def _opens(function: Function) -> bool:
    return any(dotted(call.func) == "os.open" for call in calls_in(function.body))


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
