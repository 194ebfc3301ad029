"""Finalizers that an object keeps: a copy of one is dead in another process, whatever it is of."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.proof.changes import ClassChange, Regression
from dlfix.fixing.proof.state import dropped
from dlfix.fixing.proof.syntax import executed, is_attribute, own_targets, self_name
from dlfix.project.library_names import imported_as

_ASKED = frozenset({"alive", "peek", "detach"})


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield where a class asks whether a finalizer of its object is alive, which workers get with the state."""
    kept = {*_kept(change)} - {*dropped(change)}
    for cls in change.new.family(change.after) if kept else ():
        for function in cls.functions:
            me = self_name(function)
            for node in executed(function.body):
                match node:
                    case ast.Attribute(value=ast.Attribute(attr=name) as held, attr=asked) if (
                        name in kept and asked in _ASKED and is_attribute(held, me)
                    ):
                        yield change.regression(
                            function,
                            f"`{asked}` of `{name}` is asked ({cls.module.path.name}:{node.lineno}), which is dead "
                            "in a worker",
                        )
                        return


def _kept(change: ClassChange) -> Iterator[str]:
    """Yield the attributes that hold a finalizer."""
    for cls in change.new.lineage(change.after):
        for function in cls.functions:
            for node in executed(function.body):
                match node:
                    case ast.Assign(value=ast.Call(func=func)) if (
                        imported_as(cls.module, func) == "weakref.finalize"
                    ):
                        yield from own_targets(node, self_name(function))


__all__ = ["check"]
