"""Walking syntax trees."""

from __future__ import annotations

import ast
from functools import lru_cache


@lru_cache(maxsize=8_192)
def walk(root: ast.AST) -> tuple[ast.AST, ...]:
    """Return a node and all that is in it, breadth first as `ast.walk` does; remembered."""
    found = [root]
    for node in found:  # it grows as it is gone through
        for field in node._fields:
            value = getattr(node, field, None)
            if value.__class__ is list:
                found += [each for each in value if isinstance(each, ast.AST)]
            elif isinstance(value, ast.AST):
                found.append(value)
    return tuple(found)
