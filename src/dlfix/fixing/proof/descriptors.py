"""Handles and their numbers that are kept as if they were paths: in another process they are others, or none."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from dlfix.catalog.rows import ResourceRow
from dlfix.fixing.proof import order
from dlfix.fixing.proof.changes import ClassChange, Regression
from dlfix.fixing.proof.filled import additions, root_of
from dlfix.fixing.proof.handling import local_rows
from dlfix.fixing.proof.program import Program
from dlfix.fixing.proof.state import dropped
from dlfix.fixing.proof.syntax import (
    Function,
    called_in,
    calls_in,
    dotted,
    executed,
    is_attribute,
    last_part,
    own_targets,
    self_name,
    targets_of,
)
from dlfix.project.module import Module


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield where an attribute keeps the number of a handle that each process opens for itself, or loses one."""
    yield from _left_open(change)
    yield from _newly_kept(change)
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


def _newly_kept(change: ClassChange) -> Iterator[Regression]:
    """Yield where the constructor now keeps an open handle, or its number, to open something from it later."""
    opened = change.lazy.keys() | dropped(change).keys()
    for cls, function in change.constructed_after:
        fresh = [node for each in change.fresh(function) for node in executed([each])]
        pairs = [pair for node in fresh for pair in _kept(node, self_name(function))]
        handles = local_rows(change.new, cls.module, function) if pairs else {}
        for name, value in pairs:
            if name not in opened and _is_live(value, handles):
                yield change.regression(
                    function,
                    f"`{name}` keeps an open file, or its number (line {value.lineno}), which "
                    "is invalid in another process",
                )
                return


def _kept(node: ast.AST, owner: str) -> Iterator[tuple[str, ast.expr]]:
    """Yield the attributes of its object that a statement or call sets or adds to, with the value."""
    value = node.value if isinstance(node, (ast.Assign, ast.AnnAssign)) else None
    if value is not None:
        yield from ((name, value) for name in own_targets(node, owner))
    for holder, added in additions(node):
        root = root_of(holder)
        if is_attribute(root, owner):
            yield root.attr, added


def _is_live(value: ast.expr, handles: Mapping[str, ResourceRow]) -> bool:
    """Return whether a value is a handle by its name, or the number of one."""
    match value:
        case ast.Call(func=ast.Attribute(attr="fileno"), args=[]):
            return True
        case ast.Name(id=name):
            return name in handles
        case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
            return any(_is_live(each, handles) for each in parts)
    return False


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
