"""Attributes that a constructor opens on some paths only, and that are None on the others."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.proof.changes import ClassChange, Regression
from dlfix.fixing.proof.program import is_cached
from dlfix.fixing.proof.state import dropped, marked, restored
from dlfix.fixing.proof.syntax import (
    Function,
    calls_in,
    executed,
    is_attribute,
    seeing,
    self_name,
    within,
)
from dlfix.fixing.proof.typestate import Interpreter
from dlfix.project.syntax import is_none


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield the properties that open what an object need not have had, and those that None hides."""
    yield from _always_opened(change)
    yield from _always_reopened(change)
    yield from _hidden(change)


def _always_reopened(change: ClassChange) -> Iterator[Regression]:
    """Yield what a new `__setstate__` opens in any case, and that was None where nothing had opened it."""
    restoring = change.after.methods.get("__setstate__")
    if restoring is None or not change.fresh(restoring):
        return
    again = restored(change) & set(dropped(change)) - set(marked(change))
    if not again:
        return
    made = Interpreter(change.old, change.before).constructed()
    for name in sorted(again):
        starts = _starts_as_none(change, name) and f".{name}" not in made.present
        if starts and _is_always_set(restoring, name):
            yield change.regression(
                restoring,
                f"`{name}` is None until something opens it, but `__setstate__` always opens it",
            )


def _starts_as_none(change: ClassChange, name: str) -> bool:
    """Return whether the class, or a constructor, first says that an attribute is None."""
    values = [
        each.values[name] for each in change.old.lineage(change.before) if name in each.values
    ]
    by_class = any(map(is_none, values))
    return by_class or any(
        _sets(node, self_name(function), name, to_none=True)
        for _, function in change.constructed_before
        for node in executed(function.body)
    )


def _is_always_set(restoring: Function, name: str) -> bool:
    """Return whether a method sets an attribute to something, or calls what does, under no condition."""
    me = self_name(restoring)
    return any(
        isinstance(each, (ast.Assign, ast.Expr))
        and (_sets(each, me, name) or any(is_attribute(c.func, me) for c in calls_in([each])))
        for each in restoring.body
    )


def _hidden(change: ClassChange) -> Iterator[Regression]:
    """Yield the cached properties in whose place a constructor, of a base as well, puts None."""
    cached = {name: getter for name, getter in change.made_lazy.items() if is_cached(getter)}
    for cls, function in change.constructed_after if cached else ():
        for node in executed(function.body):
            for name, getter in cached.items():
                if _sets(node, self_name(function), name, to_none=True):
                    yield change.regression(
                        getter,
                        f"`{cls.name}.{function.name}` sets `{name}` to None, so the "
                        "property would not open it",
                    )


def _always_opened(change: ClassChange) -> Iterator[Regression]:
    lazy = {
        name: getter
        for name, getter in change.made_lazy.items()
        if name not in change.started_empty
        and _is_opened_by_constructor_alone(change, name)
        and not _may_give_none(change, getter)
    }
    made = Interpreter(change.old, change.before).constructed() if lazy else None
    for name, getter in lazy.items():
        if made is None or f".{name}" in made.present:
            continue
        if f".{name}" in made.bound or _has_default(change, name):
            yield change.regression(
                getter,
                f"`{name}` is None if the constructor does not open it, but the property "
                "always opens it",
            )


def _is_opened_by_constructor_alone(change: ClassChange, name: str) -> bool:
    """Return whether only the constructor gives an attribute another value than None."""
    made = {id(function) for _, function in change.constructed_before}
    storing = [
        id(function)
        for cls in change.old.family(change.before)
        for function in cls.functions
        if any(
            _sets(node, self_name(function), name)
            for node in seeing(function.body, self_name(function))
        )
    ]
    return bool(storing) and made.issuperset(storing)


def _sets(node: ast.AST, me: str, name: str, *, to_none: bool = False) -> bool:
    """Return whether a statement gives an attribute a value: one that is not None, or None."""
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    value = getattr(node, "value", None)
    return (
        value is not None
        and is_none(value) == to_none
        and any(
            isinstance(target, ast.expr)
            and any(is_attribute(each, me, name) for each in within(target))
            for target in targets
        )
    )


def _may_give_none(change: ClassChange, getter: Function) -> bool:
    """Return whether a property, or what opens for it, has a path on which it opens nothing."""
    called = {c.func.attr for c in calls_in(getter.body) if isinstance(c.func, ast.Attribute)}
    openers = [f for name, f in change.after.methods.items() if name in called]
    return any(_gives_none(function) for function in (getter, *openers))


def _gives_none(function: Function) -> bool:
    return any(
        isinstance(node, ast.Raise)
        or (isinstance(node, ast.Return) and getattr(node.value, "value", node.value) is None)
        for node in executed(function.body)
    )


def _has_default(change: ClassChange, name: str) -> bool:
    return any(name in each.values for each in change.old.lineage(change.before))
