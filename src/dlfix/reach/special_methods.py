"""The special methods that code calls on an object without naming them: `len(rows)`, `rows[0]`, `for row in rows`."""

from __future__ import annotations

import ast
from collections.abc import Collection
from collections.abc import Set as AbstractSet

WORKER = ("__getitem__", "__getitems__", "__iter__", "__next__", "__call__", "forward")
GIVING_ITEMS = ("__getitem__", "__iter__")
_BUILTINS = {"len": "__len__", "iter": "__iter__", "next": "__next__"}
# What goes through its first argument.
ITERATING = tuple(
    "iter list tuple set sorted enumerate islice zip sum min max any all tqdm".split()
)
PROTOCOLS = frozenset({"__getitem__", *_BUILTINS.values()})


def protocol_used(node: ast.AST, me: AbstractSet[str]) -> str | None:
    """Return the special method that an expression calls on an object without naming it."""
    match node:
        case ast.Subscript(value=ast.Name(id=name), ctx=ast.Load()) if name in me:
            return "__getitem__"
        case ast.Call(func=ast.Name(id=func), args=[ast.Name(id=name), *_]) if name in me:
            return "__iter__" if func in ITERATING else _BUILTINS.get(func)
        case ast.comprehension(iter=ast.Name(id=name)) | ast.For(iter=ast.Name(id=name)):
            return "__iter__" if name in me else None
    return None


def iterated_by(name: str, methods: Collection[str]) -> str:
    """Return `__getitem__` for `__iter__` where a class has none: Python then asks item by item."""
    return "__getitem__" if name == "__iter__" and name not in methods else name
