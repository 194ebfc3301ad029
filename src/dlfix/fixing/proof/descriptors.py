"""Handles and their numbers that are kept as if they were paths: in another process they are others, or none."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from dlfix.catalog.rows import ResourceRow
from dlfix.fixing.proof import order
from dlfix.fixing.proof.changes import ClassChange, Regression
from dlfix.fixing.proof.filled import additions, root_of
from dlfix.fixing.proof.handling import local_rows
from dlfix.fixing.proof.late_code import opening_calls
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
from dlfix.project.flow import reaching
from dlfix.project.module import Module

_OF_NUMBERS = re.compile(r"/proc/self/fd|/dev/fd/")


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield where an attribute keeps the number of a handle that each process opens for itself, or loses one."""
    yield from _left_open(change)
    yield from _newly_kept(change)
    yield from _named_by_number(change)
    yield from _closed_by_then(change)
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


def _openers(change: ClassChange) -> list[Function]:
    """Return what opens in another process, or later."""
    restoring = change.after.methods.get("__setstate__")
    fresh = restoring is not None and "__setstate__" not in change.before.methods
    return [*change.made_lazy.values(), *([restoring] if restoring is not None and fresh else [])]


def _named_by_number(change: ClassChange) -> Iterator[Regression]:
    """Yield paths that name an open file by its number, and that something opens later."""
    opener = next(iter(_openers(change)), None)
    for cls, function in change.constructed_before if opener is not None else ():
        for node in executed(function.body):
            if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
                continue
            if _OF_NUMBERS.search(node.value) and opener is not None:
                yield change.regression(
                    opener,
                    f"the path names an open file by its number ({cls.module.path.name}:{node.lineno} before "
                    "the fix), which is invalid in another process",
                )
                return


def _closed_by_then(change: ClassChange) -> Iterator[Regression]:
    """Yield openers that are given a function which reads the number of a folder that code closes."""
    for opener in _openers(change):
        for call in opening_calls(change, opener):
            for given in (each.value for each in call.keywords if each.arg in ("opener", "dir_fd")):
                found = _closing(change.new, change.after.module, given)
                if found is not None:
                    name, home, closing = found
                    yield change.regression(
                        opener,
                        f"`{name}`, by which the file is opened, is closed "
                        f"({home.path.name}:{closing.lineno}), but the file is opened later",
                    )
                    return


def _closing(
    program: Program, module: Module, given: ast.expr
) -> tuple[str, Module, ast.Call] | None:
    """Return a global number that an expression, or the function that it names, reads, and what closes it."""
    known = program.function_of(module, given)
    home, nodes = (known[0], known[1].body) if known is not None else (module, [given])
    read = {node.id for node in executed(nodes) if isinstance(node, ast.Name)}
    for user in (home, *program.project.mentions("close")):
        for call in user.calls_by_name.get("close", ()):
            for closed in map(dotted, call.args):
                found = program.bound(user, closed.rpartition(".")[0]) if "." in closed else None
                is_own = user is home or (found is not None and found[0] is home)
                if is_own and closed.rpartition(".")[2] in read:
                    return closed, user, call
    return None


def _newly_kept(change: ClassChange) -> Iterator[Regression]:
    """Yield where the constructor now keeps an open handle, or its number, to open something from it later."""
    opened = change.lazy.keys() | dropped(change).keys()
    for cls, function in change.constructed_after:
        fresh = [node for each in change.fresh(function) for node in executed([each])]
        pairs = [pair for node in fresh for pair in _kept(node, self_name(function))]
        handles = local_rows(change.new, cls.module, function) if pairs else {}
        for name, value in pairs:
            passed = isinstance(value, ast.Name) and _is_as_passed(cls.module, value)
            if name not in opened and not passed and _is_live(value, handles):
                yield change.regression(
                    function,
                    f"`{name}` keeps an open file, or its number (line {value.lineno}), which "
                    "is invalid in another process",
                )
                return


def _is_as_passed(module: Module, name: ast.Name) -> bool:
    """Return whether a name surely is what a parameter was given: what its function opens comes later."""
    bindings = reaching(module.scope_of(name), name.id, name)
    return bool(bindings) and all(each.kind == "parameter" for each in bindings)


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
            return name in handles and handles[name].kind != "plain"
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
