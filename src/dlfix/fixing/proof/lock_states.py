"""Locks that one method takes and another gives back: the new lock of a worker is free."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.proof.changes import ClassChange, Regression
from dlfix.fixing.proof.handling import held_by
from dlfix.fixing.proof.objects import may_go_by
from dlfix.fixing.proof.order import IN_WORKERS, STATE
from dlfix.fixing.proof.state import dropped
from dlfix.fixing.proof.syntax import Function, dotted, within
from dlfix.project.module import Module

_TAKES, _GIVES = "acquire", "release"
_LEAVING = {"__enter__": "__exit__", "__aenter__": "__aexit__"}
_ENTERING = ("enter_context", "enter_async_context")  # which is left whenever an exit stack is


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield the locks that are made anew in a worker, and that some code takes and keeps."""
    rows = held_by(change.old, change.constructed_before).rows
    for name in sorted(dropped(change).keys() | change.made_lazy.keys()):
        row = rows.get(f".{name}")
        if row is None or row.kind != "sync":
            continue
        for module, node in _kept(change, name):
            yield change.regression(
                change.after.node,
                f"`{name}` is acquired and not released in the same function "
                f"({module.path.name}:{node.lineno}), but that of a worker is free",
            )
            return


def _kept(change: ClassChange, name: str) -> Iterator[tuple[Module, ast.Attribute]]:
    """Yield where code that is not a worker's takes a lock of an object and does not give it back."""
    family = change.new.family(change.after)
    for module in change.new.project.mentions(_TAKES):
        for node in module.attributes_by_name.get(_TAKES, ()):
            held = node.value
            function = change.new.enclosing(module, node)
            if not isinstance(held, ast.Attribute) or held.attr != name or function is None:
                continue
            if function.name in (*IN_WORKERS, *STATE) or _gives_back(function, held):
                continue
            if _gives_back_at_exit(change, module, function, held):
                continue
            if may_go_by(change, module, held.value, family):
                yield module, node


def _gives_back(function: Function, lock: ast.Attribute) -> bool:
    return _calls(function, _GIVES, lock)


def _calls(function: Function, name: str, owner: ast.expr) -> bool:
    """Return whether a function names a method of what an expression holds."""
    return any(
        isinstance(node, ast.Attribute)
        and node.attr == name
        and dotted(node.value) == dotted(owner)
        for node in within(function)
    )


def _gives_back_at_exit(
    change: ClassChange, module: Module, function: Function, lock: ast.Attribute
) -> bool:
    """Return whether a `with` statement takes a lock of its object, and gives it back in the same function when it ends."""
    cls = change.new.class_of_self(module, lock.value)
    leaving = change.new.method(cls, _LEAVING.get(function.name, "")) if cls is not None else None
    if cls is None or leaving is None or not _gives_back(leaving[1], lock):
        return False
    return not any(
        may_go_by(change, home, held, change.new.family(cls))
        for home, held in _entered_for_long(change)
    )


def _entered_for_long(change: ClassChange) -> Iterator[tuple[Module, ast.expr]]:
    """Yield what code enters, and does not leave in the same function."""
    for word in (*_LEAVING, *_ENTERING):
        for home in change.new.project.mentions(word):
            for call in home.calls_by_name.get(word, ()):
                yield from ((home, each) for each in call.args if word in _ENTERING)
                function, func = change.new.enclosing(home, call), call.func
                if word in _LEAVING and isinstance(func, ast.Attribute):
                    leaving = _LEAVING[word]
                    if function is None or not _calls(function, leaving, func.value):
                        yield home, func.value


__all__ = ["check"]
