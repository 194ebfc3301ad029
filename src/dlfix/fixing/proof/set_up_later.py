"""Handles that code sets up once their object is made: what another process opens again is not."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cache

from dlfix.catalog.rows import ResourceRow
from dlfix.fixing.proof import order
from dlfix.fixing.proof.changes import ClassChange, Regression
from dlfix.fixing.proof.handling import Body, Operation, held_by, operations_on
from dlfix.fixing.proof.late import used_on_self
from dlfix.fixing.proof.origins import Origins
from dlfix.fixing.proof.program import Class, Program
from dlfix.fixing.proof.state import restored
from dlfix.fixing.proof.syntax import (
    FUNCTIONS,
    Function,
    dotted,
    executed,
    is_attribute,
    self_name,
)
from dlfix.project.module import Module

_FAR = 3  # how many callers are followed
_MANY = 40  # a name with so many users says nothing of one of them
_CLOSERS = frozenset("close __exit__ __del__ shutdown stop release teardown".split())
_IN_WORKERS = ("__getitem__", "__getitems__", "__iter__", "__next__", "__call__", "forward")


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield the handles that the caller sets up, or a method that workers do not run."""
    rows = held_by(change.old, change.constructed_before).rows
    restoring = change.after.methods.get("__setstate__")
    again = dict.fromkeys(restored(change), restoring) | change.made_lazy
    for name, opener in again.items():
        row = rows.get(f".{name}")
        if row is None or opener is None or name in change.started_empty:
            continue
        again_set = _set_again(change, name, opener) if row.kind not in ("sync", "random") else ()
        for home, function, line in again_set:
            yield change.regression(
                opener,
                f"`{function.name}` sets `{name}` again ({home.path.name}:{line}), and a worker opens what "
                "the constructor did",
            )
            return
        for module, operation in _operations(change, name, row):
            yield change.regression(
                opener,
                f"`{name}` is set up with `{operation.name}` ({module.path.name}:{operation.line}), and "
                "the one that a worker opens is not",
            )
            return


def _set_again(
    change: ClassChange, name: str, opener: Function
) -> Iterator[tuple[Module, Function, int]]:
    """Yield the methods of the parent that open another resource, which nothing tells a worker of."""
    asked = {
        used
        for _, f in order.reached(change.new, change.after, (opener.name,))
        for used in used_on_self(f)
    }
    in_workers = [f for _, f in order.reached(change.new, change.after, _IN_WORKERS)]
    asks = any(_asks_for_none(function, name) for function in in_workers)
    for cls, function in _of_parents(change, change.new.family(change.after)):
        me = self_name(function)
        may_reset = asks and function.name not in _CLOSERS
        stored = {
            node.attr: node
            for node in executed(function.body)
            if is_attribute(node, me) and isinstance(node.ctx, ast.Store)
        }
        opens = any(
            isinstance(node, ast.Assign)
            and (isinstance(node.value, ast.Call) or (may_reset and _is_none(node.value)))
            and any(is_attribute(target, me, name) for target in node.targets)
            for node in executed(function.body)
        )
        if opens and not (stored.keys() - {name}) & asked:
            yield cls.module, function, stored[name].lineno


def _asks_for_none(function: Function, name: str) -> bool:
    """Tell whether a method compares an attribute with None."""
    return any(
        isinstance(node, ast.Compare)
        and is_attribute(node.left, self_name(function), name)
        and any(_is_none(each) for each in node.comparators)
        for node in executed(function.body)
    )


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _operations(
    change: ClassChange, name: str, row: ResourceRow
) -> Iterator[tuple[Module, Operation]]:
    family = change.new.family(change.after)
    own = {id(function) for cls in family for function in cls.functions}
    for cls, function in _of_parents(change, family):
        for operation in operations_on(change.new, cls.module, function, {f".{name}": row}):
            if operation.configures:
                yield cls.module, operation
    for module in change.new.project.mentions(name):
        bodies = {id(body): body for body in _bodies(module, name)}
        for body in bodies.values():
            around = None if isinstance(body, ast.Module) else body
            if id(body) in own or not _is_of_parent(change.new, module, around):
                continue
            handles = dict.fromkeys(_handles(change, family, module, body, name), row)
            for operation in operations_on(change.new, module, body, handles):
                if operation.configures:
                    yield module, operation


def _of_parents(change: ClassChange, family: Iterable[Class]) -> Iterator[tuple[Class, Function]]:
    """Yield the methods that the parent calls once an object is made, and workers do not."""
    for cls in family:
        made = {id(f) for _, f in order.construction(change.new, cls)}
        for function in cls.functions:
            if id(function) in made or function.name in {*change.lazy, *order.STATE}:
                continue
            is_set = function in cls.setters.values()
            users = list(_users(change.new, cls.module, function, is_set=is_set))
            if users and all(_is_of_parent(change.new, *each) for each in users):
                yield cls, function


def _is_of_parent(program: Program, module: Module, body: Function | None, far: int = _FAR) -> bool:
    """Tell whether no method that workers run leads to a body, nor a function handed to somebody."""
    if body is None or far == 0:
        return True
    if body.name in _IN_WORKERS or "get_worker_info" in _names(body):
        return False
    users = list(_users(program, module, body))
    return len(users) < _MANY and all(
        _is_of_parent(program, *each, far - 1) for each in users if each[1] is not body
    )


def _users(
    program: Program, home: Module, function: Function, *, is_set: bool = False
) -> Iterator[tuple[Module, Function | None]]:
    """Yield the functions that call a function, by its name; those that hand it on count as workers."""
    is_method = isinstance(home.parent(function), ast.ClassDef)
    for module in program.project.mentions(function.name):
        called = {id(call.func) for call in module.calls_by_name.get(function.name, ())}
        for node in module.nodes_by_name.get(function.name, ()):
            if is_method and isinstance(node, ast.Name):
                continue
            if is_set != isinstance(node.ctx, ast.Store):
                continue
            if is_set or id(node) in called:
                yield module, program.enclosing(module, node)
            else:
                yield module, _handed_on()


@cache
def _handed_on() -> Function:
    """Return a stand-in for what gets a function: a worker may."""
    (found,) = ast.parse("def __call__(): ...").body
    assert isinstance(found, FUNCTIONS)
    return found


def _bodies(module: Module, name: str) -> Iterator[Body]:
    """Yield the functions of a module, or the module itself, that name an attribute."""
    for node in module.attributes_by_name.get(name, ()):
        yield next((a for a in module.ancestors(node) if isinstance(a, FUNCTIONS)), module.tree)


def _names(body: Body) -> set[str]:
    nodes = executed(body.body)
    return {getattr(node, "id", "") or getattr(node, "attr", "") for node in nodes}


def _handles(
    change: ClassChange,
    family: Iterable[Class],
    module: Module,
    body: Body,
    name: str,
) -> Iterator[str]:
    """Yield what a body calls the handle of an object that may be of the class."""
    me = self_name(body) if isinstance(body, FUNCTIONS) else ""
    origins = Origins(body.body)
    for node in executed(body.body):
        if not isinstance(node, ast.Attribute) or node.attr != name:
            continue
        owner = dotted(node.value)
        made = [change.new.class_of(module, each) for each in origins.called(owner)]
        others = made and all(each is not None and each not in family for each in made)
        imported = any(
            isinstance(each.node, ast.alias) for each in module.scope.bindings.get(owner, ())
        )
        if not owner or others or imported:
            continue
        if owner == me and isinstance(module.parent(body), ast.ClassDef):
            continue  # its own attribute of that name
        first, dot, rest = owner.partition(".")
        yield f"{dot}{rest}.{name}" if first == me else f"{owner}.{name}"


__all__ = ["check"]
