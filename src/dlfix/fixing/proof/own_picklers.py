"""Picklers of the program that treat some objects in their own way: they no longer meet what a fix leaves out or moves."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from dlfix.fixing.proof.callables import Moved
from dlfix.fixing.proof.changes import ClassChange, FileChange, Regression
from dlfix.fixing.proof.order import STATE
from dlfix.fixing.proof.pickling_tried import Pickling, holds, holds_function
from dlfix.fixing.proof.program import Class, Program
from dlfix.fixing.proof.syntax import dotted
from dlfix.fixing.proof.writes import values_of
from dlfix.project.module import Module

# What a pickler asks of each object: by a method, or by a table that its class or object has.
_ASKS = ("persistent_id", "reducer_override", "dispatch_table")


class _Own(NamedTuple):
    """A call that pickles something by a class of the program."""

    pickling: Pickling
    cls: Class
    hook: str


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield where a pickler of the program gets objects of a class whose state has changed."""
    had = {each.name for each in change.before.functions}
    fresh = [each for each in change.after.functions if each.name in STATE and each.name not in had]
    if not fresh and not change.made_lazy:
        return
    for own in change.new.once(_picklings):
        module, call, given = own.pickling
        if holds(change, module, given, surely=False):
            yield change.regression(
                next(iter(fresh), change.after.node), _reason(own, module, call)
            )
            return


def check_moved(change: FileChange) -> Iterator[Regression]:
    """Yield where a pickler of the program gets a function that moved: it may know it by its name, or its kind."""
    moved = Moved(change)
    if not moved.gone or not moved.new_names:
        return
    for own in change.new.once(_picklings):
        module, call, _ = own.pickling
        if moved.may_meet(module) and holds_function(change, moved, own.pickling):
            yield change.regression(min(moved.new_names), 1, _reason(own, module, call))
            return


def _reason(own: _Own, module: Module, call: ast.Call) -> str:
    return (
        f"`{own.cls.name}.{own.hook}` decides how objects are pickled "
        f"({own.cls.module.path.name}:{own.cls.node.lineno}), and may no longer see what it saw "
        f"({module.path.name}:{call.lineno})"
    )


def _picklings(program: Program) -> Iterator[_Own]:
    """Yield the calls of `dump` of objects of such classes."""
    for hook in _ASKS:
        for home in program.project.mentions(hook):
            for cls in program.classes(home):
                if hook in cls.methods or hook in cls.values or _sets(home, cls, hook):
                    yield from _dumping(program, cls, hook)


def _sets(module: Module, cls: Class, hook: str) -> bool:
    """Return whether a method sets a table on its object, or other code one on the class."""
    return any(
        any(above is cls.node for above in module.ancestors(node))
        or dotted(node).startswith(f"{cls.name}.")
        for node in module.stores_by_name.get(hook, ())
    )


def _dumping(program: Program, cls: Class, hook: str) -> Iterator[_Own]:
    for module in program.project.mentions("dump"):
        for call in module.calls_by_name.get("dump", ()):
            owner = call.func.value if isinstance(call.func, ast.Attribute) else None
            if owner is None or not call.args:
                continue
            named = (
                values_of(program, module, owner, owner.id) if isinstance(owner, ast.Name) else []
            )
            made = [each.func for each in (owner, *named) if isinstance(each, ast.Call)]
            if any(program.class_of(module, each) is cls for each in made):
                yield _Own(Pickling(module, call, call.args[0]), cls, hook)


__all__ = ["check", "check_moved"]
