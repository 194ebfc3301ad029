"""Sentinels among the data: a worker gets copies of them, and its code asks for the very objects."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.fixing.hoisting.captures import CannotHoist
from dlfix.project.syntax import last_name
from dlfix.project.trees import walk
from dlfix.reach.values import Bound, Class, ExternalCall, Instance

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.reach.analysis import Analysis
    from dlfix.reach.crossing import Crossing

_GIVEN_BACK = frozenset({"get", "getattr", "pop", "next", "setdefault"})  # where nothing is found


def refuse_copied(crossing: Crossing, analysis: Analysis) -> None:
    """Refuse what would let an object be sent whose methods ask `answer is MISSING` of data that goes along."""
    at = crossing.parent
    while at is not None:
        for module, test, name in _asked(at, analysis):
            if _is_among_data(name, analysis):
                raise CannotHoist(
                    f"`{ast.unparse(test)}` asks for the very object, of which a worker has a copy "
                    f"({module.path.name}:{test.lineno})"
                )
        at = at.parent


def _asked(holder: Crossing, analysis: Analysis) -> Iterator[tuple[Module, ast.Compare, str]]:
    """Yield where the methods of an object compare something with a sentinel."""
    value = holder.value
    line = analysis.mro(value.cls) if isinstance(value, Instance) else ()
    for cls in line:
        for node in walk(cls.node) if isinstance(cls, Class) else ():
            match node:
                case ast.Compare(ops=[ast.Is() | ast.IsNot()], comparators=[ast.Name() as asked]):
                    assert isinstance(cls, Class)
                    frame = analysis.frame(cls.module.scope_of(node))
                    if any(map(_is_sentinel, analysis.values(Bound(asked, frame)))):
                        yield cls.module, node, asked.id


def _is_sentinel(value: object) -> bool:
    return isinstance(value, ExternalCall) and value.name.rpartition(".")[2] == "object"


def _is_among_data(name: str, analysis: Analysis) -> bool:
    """Return whether code puts a sentinel into data: not only its own local names and defaults."""
    return any(
        isinstance(node.ctx, ast.Load) and _is_put(module, node)
        for module in analysis.project.mentions(name)
        for node in module.nodes_by_name.get(name, ())
    )


def _is_put(module: Module, node: ast.expr) -> bool:
    match module.parent(node):
        case ast.Compare() | ast.arguments() | ast.Attribute():
            return False
        case ast.Assign(targets=targets):
            return any(not isinstance(each, ast.Name) for each in targets)
        case ast.Call(func=func):
            return last_name(func) not in _GIVEN_BACK
    return True
