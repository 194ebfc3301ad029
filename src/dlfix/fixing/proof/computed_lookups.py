"""Code that looks attributes of an object up by names that it computes: a cached handle is opened there."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.proof import writes
from dlfix.fixing.proof.changes import ClassChange, Regression
from dlfix.fixing.proof.other_objects import OtherObjects
from dlfix.fixing.proof.program import Program, is_cached
from dlfix.project.module import Module

_LOOKUPS = ("getattr", "hasattr")


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield where code may ask an object of a class for any attribute, of which one is opened when it is read."""
    cached = {name: each for name, each in change.made_lazy.items() if is_cached(each)}
    if not cached:
        return
    family = change.new.family(change.after)
    for module, call in change.new.once(_computed):
        if not writes.goes_by_known(change.new, module, call.args[0], family):
            continue
        if not OtherObjects(change.new, family).are_others(module, call.args[0]):
            name, getter = min(cached.items())
            yield change.regression(
                getter,
                f"`{name}` may be looked up by a computed name ({module.path.name}:{call.lineno}), "
                "which now opens the resource",
            )
            return


def _computed(program: Program) -> Iterator[tuple[Module, ast.Call]]:
    """Yield the calls that look up an attribute whose name is no constant."""
    for word in _LOOKUPS:
        for module in program.project.mentions(word):
            for call in module.calls_by_name.get(word, ()):
                if len(call.args) > 1 and not isinstance(call.args[1], ast.Constant):
                    yield module, call


__all__ = ["check"]
