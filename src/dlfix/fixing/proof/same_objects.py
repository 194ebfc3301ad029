"""Code that asks whether a part of the state is one very object: what a worker unpickles is another, with the same value."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from dlfix.fixing.proof.changes import ClassChange, Regression, attributes_set
from dlfix.fixing.proof.order import STATE
from dlfix.fixing.proof.program import Class
from dlfix.fixing.proof.state import dropped, restored
from dlfix.fixing.proof.syntax import (
    Function,
    executed,
    is_attribute,
    own_targets,
    same,
    self_name,
    within,
)
from dlfix.project.module import Module

_ONE_OBJECT = range(-5, 257)  # CPython keeps one object for each of these numbers


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield where a class that is pickled now asks `self.x is "a"`, or `self.x is _MISSING`, of its state."""
    if not change.lazy and not dropped(change):
        return
    yield from _other_views(change)
    line = change.new.lineage(change.after)
    kept = {name for cls in line for name in attributes_set(cls)}
    kept -= {*change.lazy, *dropped(change), *restored(change)}
    for cls in line:
        for function in cls.functions:
            for test in _asking(change, cls, function, kept) if _may_run_late(function) else ():
                yield change.regression(
                    test,
                    f"`{ast.unparse(test)}` ({cls.module.path.name}:{test.lineno}) asks for the very "
                    "object, of which a worker has a copy",
                )
                return


def _other_views(change: ClassChange) -> Iterator[Regression]:
    """Yield the views of dicts that show another dict when they are made again."""
    made = dict(_views(change.constructed_before))
    restoring = [f for f in change.after.functions if f.name == "__setstate__"]
    for name, view in _views([(change.after, f) for f in restoring]):
        if name in made and not same(view, made[name]):
            yield change.regression(
                view,
                f"`{name}` is a view of another dict (line {view.lineno}) than that of the constructor",
            )


def _views(methods: Iterable[tuple[Class, Function]]) -> Iterator[tuple[str, ast.Call]]:
    """Yield the attributes that are set to a view of a dict: `self.ids = self.rows.keys()`."""
    for _, function in methods:
        for node in executed(function.body):
            match node:
                case ast.Assign(
                    value=ast.Call(
                        func=ast.Attribute(attr="keys" | "values" | "items"), args=[]
                    ) as view
                ):
                    yield from ((name, view) for name in own_targets(node, self_name(function)))


def _may_run_late(function: Function) -> bool:
    return function.name not in ("__init__", *STATE)


def _asking(
    change: ClassChange, cls: Class, function: Function, kept: set[str]
) -> Iterator[ast.Compare]:
    me = self_name(function)
    for node in within(function.body):
        match node:
            case ast.Compare(left=left, ops=[ast.Is() | ast.IsNot()], comparators=[right]):
                for held, asked in ((left, right), (right, left)):
                    is_kept = is_attribute(held, me) and held.attr in kept
                    if is_kept and _is_copied(change, cls.module, asked):
                        yield node


def _is_copied(change: ClassChange, module: Module, asked: ast.expr) -> bool:
    """Return whether pickling makes another object of what an expression gives."""
    match asked:
        case ast.Constant(value=str() | bytes() as text):
            return len(text) > 1
        case ast.Constant(value=bool()):
            return False
        case ast.Constant(value=int() as number):
            return number not in _ONE_OBJECT
        case ast.Constant(value=float() | complex()):
            return True
        case ast.Name(id=name):
            given = list(change.new.assigned(module, name))
            return bool(given) and all(map(_is_sentinel, given))
    return False


def _is_sentinel(value: ast.expr) -> bool:
    match value:
        case ast.Call(func=ast.Name(id="object"), args=[], keywords=[]):
            return True
    return False


__all__ = ["check"]
