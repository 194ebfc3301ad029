"""Items that code replaces or takes out of what an object holds before that is sent: `concat.datasets[0] = other`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dlfix.project.order import lies_in
from dlfix.project.trees import walk
from dlfix.reach.access_paths import constant_key
from dlfix.reach.labels import node_of
from dlfix.reach.removals import ALL, LAST, taken
from dlfix.reach.sequence import place_in
from dlfix.reach.values import Argument, Bound, Container

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.reach.crossing import Crossing
    from dlfix.reach.evaluator import Item

_HOLDING = ("attribute", "kept")


@dataclass(frozen=True)
class _Lifetime:
    """The statements of a block from the one that makes an object to the one that sends it."""

    module: Module
    block: list[ast.stmt]
    start: int
    end: int
    name: str  # of the object


def left_when_sent(container: Container, crossing: Crossing) -> list[Item]:
    """Return the items that a container which an object keeps in an attribute still has when that is sent."""
    items = [*container.items]
    life = _lifetime(crossing)
    if life is None or crossing.edge.kind not in _HOLDING or not crossing.edge.name:
        return items
    placed = [(item, _place_of(item[1], container, life)) for item in items]
    for index, key in _gone(life, crossing.edge.name):
        at = _from_the_start(key, container)
        placed = [
            (item, place)
            for item, place in placed
            if place is None or place >= index or at not in (ALL, item[0])
        ]
    return [item for item, _ in placed]


def _lifetime(crossing: Crossing) -> _Lifetime | None:
    """Return where an object lives that is made, under a name of its own, in the block that sends it."""
    parent, boundary = crossing.parent, crossing.boundary
    made = node_of(parent.value) if parent is not None else None
    if made is None or made[1] is not boundary.frame.module:
        return None
    call, module = made
    match module.statement(call):
        case ast.Assign(targets=[ast.Name(id=name)], value=value) as statement if value is call:
            block = getattr(module.parent(statement), "body", [])
        case _:
            return None
    end = place_in(block, module, boundary.node)
    if statement not in block or end is None:
        return None
    return _Lifetime(module, block, block.index(statement), end, name)


def _gone(life: _Lifetime, attribute: str) -> Iterator[tuple[int, object]]:
    """Yield the keys whose items statements surely replace or take out, each with the place of the statement."""
    text = f"{life.name}.{attribute}"
    for index in range(life.start + 1, life.end):
        statement = life.block[index]
        if any(_binds_again(node, life.name, attribute) for node in walk(statement)):
            return
        if isinstance(statement, (ast.Expr, ast.Assign, ast.AnnAssign, ast.Delete)):
            yield from ((index, key) for key in taken(statement, {text}) if key is not LAST)
        for target in statement.targets if isinstance(statement, ast.Assign) else ():
            if isinstance(target, ast.Subscript) and ast.unparse(target.value) == text:
                key = constant_key(target.slice)
                yield from [(index, key)] if isinstance(key, (str, int)) else []


def _binds_again(node: ast.AST, name: str, attribute: str) -> bool:
    """Return whether a node gives the object's name, or its attribute, to something else."""
    is_name = isinstance(node, ast.Name) and node.id == name
    is_attribute = isinstance(node, ast.Attribute) and node.attr == attribute
    return (is_name or is_attribute) and not isinstance(node.ctx, ast.Load)  # type: ignore[attr-defined]


def _from_the_start(key: object, container: Container) -> object:
    """Return an index counted from the start, of a list that is written out."""
    elements = getattr(container.node, "elts", None)
    is_from_end = isinstance(key, int) and key < 0 and elements is not None
    return len(elements) + key if is_from_end else key  # type: ignore[arg-type, operator]


def _place_of(item: Argument, container: Container, life: _Lifetime) -> int | None:
    """Return the place of the statement that puts an item in; None where that is not known."""
    if not isinstance(item, Bound):
        return None
    place = place_in(life.block, life.module, item.node)
    is_first = lies_in(item.node, container.node) and item.frame.module is container.frame.module
    return life.start if place is None and is_first else place


__all__ = ["left_when_sent"]
