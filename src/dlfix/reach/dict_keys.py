"""The keys of a dict, which are pickled with it: `{f: 1}`, `table[f] = 1`, `table.setdefault(f, 1)`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.reach.values import Bound, Container

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.reach.crossing import Crossing

KEY = "a key"  # the name of an edge to one


def is_told_apart(crossing: Crossing) -> bool:
    """Return whether a value is a key, or one of a set, which holds one of several that are equal."""
    holder = crossing.parent.value if crossing.parent is not None else None
    of_set = isinstance(holder, Container) and holder.kind == "set"
    return of_set or (crossing.edge.kind == "item" and crossing.edge.name == KEY)


def unknown_keys(container: Container) -> Iterator[Bound]:
    """Yield the keys that are no constants, of the items that a dict is seen to have."""
    for key, item in container.items if container.kind == "dict" else ():
        if key is None and isinstance(item, Bound):
            node = _key_of(item.node, item.frame.module)
            if node is not None:
                yield Bound(node, item.frame)


def _key_of(value: ast.expr, module: Module) -> ast.expr | None:
    match module.parent(value):
        case ast.Dict(keys=keys, values=values):
            return keys[values.index(value)]
        case ast.DictComp(key=key, value=of) if of is value:
            return key
        case ast.Assign(targets=[ast.Subscript(slice=key)]):
            return key
        case ast.Call(func=ast.Attribute(attr="setdefault"), args=[key, _]):
            return key
    return None
