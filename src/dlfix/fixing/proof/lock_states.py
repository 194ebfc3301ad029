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
            if may_go_by(change, module, held.value, family):
                yield module, node


def _gives_back(function: Function, lock: ast.Attribute) -> bool:
    return any(
        isinstance(node, ast.Attribute)
        and node.attr == _GIVES
        and dotted(node.value) == dotted(lock)
        for node in within(function)
    )


__all__ = ["check"]
