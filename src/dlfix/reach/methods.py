"""How a method is decorated."""

from __future__ import annotations

import ast

_OPAQUE = frozenset({"staticmethod", "property", "cached_property", "classmethod"})


def decorator_kind(node: ast.AST) -> str:
    """Return which of staticmethod, classmethod, property, cached_property decorates a def."""
    for decorator in getattr(node, "decorator_list", ()):
        name = getattr(decorator, "id", getattr(decorator, "attr", ""))
        if name in _OPAQUE:
            return str(name)
        if name == "setter":
            return "property"
    return ""
