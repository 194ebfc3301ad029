"""The attributes of a module-level object that a method of it reads or sets: `TABLE.get(key)`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from dlfix.project.syntax import first_parameter, is_name, is_super
from dlfix.project.trees import walk
from dlfix.reach.global_state import GlobalName, Use, changes
from dlfix.reach.methods import takes_instance
from dlfix.reach.values import Class, Function, Instance

if TYPE_CHECKING:
    from dlfix.project.module import Module


class _NotSeenError(Exception):
    """The object is passed on, or what runs is not in view."""


def parts_read(name: GlobalName, use: Use, member: str) -> set[str] | None:
    """Return the attributes that a method or property reads, with those that it calls; None where that is not seen."""
    return _parts(name, use, member, lambda module, node: True)


def parts_set(name: GlobalName, use: Use, member: str) -> set[str] | None:
    """Return the attributes that a method sets or changes, with those that it calls; None where that is not seen."""
    return _parts(name, use, member, changes)


def _parts(
    name: GlobalName, use: Use, member: str, counts: Callable[[Module, ast.expr], bool]
) -> set[str] | None:
    frame = name.analysis.frame(use.module.scope_of(use.node))
    classes = [
        each.value.cls if isinstance(each.value, Instance) else None
        for each in name.analysis.evaluate(use.node, frame)
    ]
    found: set[str] = set()
    try:
        for cls in classes or [None]:
            if cls is None or name.analysis.method(cls, member) is None:
                return None
            found |= {
                node.attr
                for method in _run_by(name, cls, member)
                for node in _own_attributes(method)
                if name.analysis.method(cls, node.attr) is None
                and counts(method.module, node.value)
            }
    except _NotSeenError:
        return None
    return found


def _run_by(name: GlobalName, cls: Class, member: str) -> Iterator[Function]:
    """Yield a method and the others of its object that it names, each once."""
    waiting, seen = [member], {member}
    while waiting:
        method = name.analysis.method(cls, waiting.pop())
        if method is None:
            continue
        yield method
        more = {node.attr for node in _own_attributes(method)} - seen
        seen |= more
        waiting += sorted(more)


def _own_attributes(method: Function) -> Iterator[ast.Attribute]:
    """Yield the attributes of its own object in a method that does nothing else with it."""
    if isinstance(method.node, ast.Lambda) or not takes_instance(method.node):
        raise _NotSeenError
    me = first_parameter(method.node)
    for node in walk(method.node):
        if is_super(node):
            raise _NotSeenError
        if is_name(node, me):
            above = method.module.parent(node)
            if not isinstance(above, ast.Attribute):
                raise _NotSeenError
            yield above
