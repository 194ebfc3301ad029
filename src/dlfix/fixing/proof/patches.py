"""Calls that run later than before, of what other code replaces while objects are made: `mock.patch`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.proof.changes import ClassChange, Regression
from dlfix.fixing.proof.construction_sites import leading_to
from dlfix.fixing.proof.late_code import moved, opening_code
from dlfix.fixing.proof.replaced_names import replacing
from dlfix.fixing.proof.syntax import (
    FUNCTIONS,
    Function,
    calls_in,
    executed,
    is_attribute,
    self_name,
)
from dlfix.project.import_time import ImportTime
from dlfix.project.importing import may_come_with
from dlfix.project.module import Module
from dlfix.project.syntax import callee_name

# What a function hands its objects on by.
_HANDING_ON = (ast.Return, ast.Yield, ast.YieldFrom, ast.Global, ast.Nonlocal)
_MOST = 40  # functions that one opener is followed through


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield what a late call names, where other code replaces that while objects are made."""
    made: set[Module] | None = None
    for name, call in _called_late(change):
        for module, place in replacing(change.new, name):
            if made is None:
                made = {home for home, _ in leading_to(change)}
            if module in made:
                yield change.regression(
                    call,
                    f"`{name}` is called later than before (line {call.lineno}), but other code replaces it "
                    f"({module.path.name}:{getattr(place, 'lineno', 1)})",
                )
                return


def _called_late(change: ClassChange) -> Iterator[tuple[str, ast.Call]]:
    """Yield the full names of what late code calls, and of what the functions call that it calls."""
    seen: set[Function] = set()
    for cls, function, _ in moved(change):
        code = opening_code(change, function)
        waiting = [(cls.module, call, call) for call in calls_in(code)]
        while waiting:
            module, call, outer = waiting.pop(0)
            known = change.new.function_of(module, call.func)
            yield from ((name, outer) for name in _names_of(change, module, call, function))
            if known is not None and known[1] not in seen and len(seen) < _MOST:
                seen.add(known[1])
                waiting += [(known[0], inner, outer) for inner in calls_in(known[1].body)]


def _names_of(change: ClassChange, module: Module, call: ast.Call, late: Function) -> Iterator[str]:
    """Yield the full names of what a call runs: of a function, a method by each class of the object, or of a library."""
    known = change.new.function_of(module, call.func)
    if known is not None:
        yield f"{known[0].name}.{known[1].name}"
    elif not is_attribute(call.func, self_name(late)):
        yield ImportTime(module.tree).full_name(call.func)
    else:
        for cls in (change.after, *change.new.heirs(change.after)):
            for each in change.new.lineage(cls):
                yield f"{each.module.name}.{each.name}.{call.func.attr}"


def is_around_objects(change: ClassChange, home: Module, patch: ast.AST) -> bool:
    """Return whether a patch decorates a test, and no object lives on from before it, or after it.

    What is called later, for an object that the test makes, meets the patch as well.
    """
    test = home.parent(patch)
    if not isinstance(test, FUNCTIONS) or not test.name.startswith("test"):
        return False
    for module, node in leading_to(change):
        function = change.new.enclosing(module, node)
        if function is None:
            if may_come_with(change.new.project, home, module):
                return False
            continue
        if "fixture" in map(callee_name, function.decorator_list):
            return False
        if module is home and _is_kept(module, node, function):
            return False
    return patch in test.decorator_list


def _is_kept(module: Module, node: ast.AST, function: Function) -> bool:
    """Return whether an object may outlive the function that makes it."""
    statement = module.statement(node)
    targets = getattr(statement, "targets", [])
    return not all(isinstance(each, ast.Name) for each in targets) or any(
        isinstance(each, _HANDING_ON) for each in executed(function.body)
    )


__all__ = ["check", "is_around_objects"]
