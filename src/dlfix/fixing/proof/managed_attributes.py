"""Attributes that a descriptor or a property of the class, or of a derived one, manages: `__dict__` does not hold them by their name."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.proof.changes import ClassChange, Regression
from dlfix.fixing.proof.program import Class
from dlfix.fixing.proof.state import dropped

_DESCRIBING = frozenset({"__get__", "__set__"})


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield what leaves the state, or becomes lazy, and is kept by a descriptor in a place of its own."""
    for name in sorted(dropped(change).keys() | change.made_lazy.keys()):
        for cls in change.new.lineage(change.after):
            before = change.before_of(cls) or cls
            if _is_descriptor(change, before, name):
                yield change.regression(
                    change.after.node,
                    f"`{name}` is a descriptor of `{cls.name}` (line {before.values[name].lineno}), which keeps "
                    "the value itself",
                )
                return
        yield from _overridden(change, name)


def _overridden(change: ClassChange, name: str) -> Iterator[Regression]:
    """Yield the derived classes that have a member of the name: it is found instead of the new property, or manages the value."""
    for heir in change.new.heirs(change.after):
        member = heir.methods.get(name) or heir.values.get(name)
        if member is not None:
            place = f"{heir.module.path.name}:{member.lineno}"
            yield change.regression(
                change.after.node, f"`{heir.name}` has a member `{name}` of its own ({place})"
            )
            return


def _is_descriptor(change: ClassChange, cls: Class, name: str) -> bool:
    """Return whether a class attribute is an object whose class has `__get__` or `__set__`."""
    value = cls.values.get(name)
    made = change.old.class_of(cls.module, value.func) if isinstance(value, ast.Call) else None
    kinds = change.old.lineage(made) if made is not None else ()
    return any(_DESCRIBING & each.methods.keys() for each in kinds)


__all__ = ["check"]
