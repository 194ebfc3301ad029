"""Copies of an object: `copy.copy` asks for the state as pickle does, but stays in the process.

A copy has the same lock or handle as the object it was made of. Where the new state leaves it out and `__setstate__`
makes another, two objects that excluded each other no longer do, and what one reads no longer moves the other.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.proof.changes import ClassChange, Regression, attributes_set
from dlfix.fixing.proof.handling import held_by
from dlfix.fixing.proof.objects import may_be_object
from dlfix.fixing.proof.program import Class, Program
from dlfix.fixing.proof.state import dropped, restored
from dlfix.fixing.proof.syntax import dotted, self_name
from dlfix.project.module import Module

_COPIES = ("copy", "copy.copy")


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield where a shallow copy shared what the copy now makes for itself."""
    left_out = dropped(change)
    shared = attributes_set(change.before).keys() & left_out.keys() & restored(change)
    shared |= set(_open_once(change))
    if not shared:
        return
    name = min(shared)
    classes = [change.after, *change.new.heirs(change.after)]
    for module, call in _copies(change.new):
        if _is_of(change, module, call.args[0], classes):
            yield change.regression(
                left_out.get(name, change.after.node),
                f"`{dotted(call.func)}` ({module.path.name}:{call.lineno}) gives the copy the same `{name}`, but "
                "the copy would have its own",
            )
            return


def _open_once(change: ClassChange) -> Iterator[str]:
    """Yield the handles of which a process may have only one, each opened by its object now."""
    rows = held_by(change.old, change.constructed_before).rows
    for name in change.lazy:
        row = rows.get(f".{name}")
        if row is not None and row.closed_by_parent:
            yield name


def _copies(program: Program) -> Iterator[tuple[Module, ast.Call]]:
    for module in program.project.mentions("copy"):
        for written in _COPIES:
            yield from ((module, call) for call in module.calls_as(written) if len(call.args) == 1)


def _is_of(change: ClassChange, module: Module, held: ast.expr, classes: list[Class]) -> bool:
    method = change.new.enclosing(module, held)
    own = method is not None and dotted(held) == self_name(method)
    if method is not None and own:
        owner = module.parent(method)
        if any(owner is each.node for each in change.new.family(change.after)):
            return True
    return may_be_object(change, module, held, classes)
