"""Walking syntax trees."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

K = TypeVar("K")
T = TypeVar("T")
P = ParamSpec("P")


def kept(work_out: Callable[Concatenate[K, P], T]) -> Callable[Concatenate[K, P], T]:
    """Remember what a function says of a node (or scope) in the node itself, to be forgotten with the tree."""

    @wraps(work_out)
    def ask(node: Any, *rest: Any) -> Any:
        key = (work_out, *rest) if rest else work_out
        try:
            return node._kept[key]
        except AttributeError:
            node._kept = {}
        except KeyError:
            pass
        answer = node._kept[key] = work_out(node, *rest)  # type: ignore[call-arg]
        return answer

    return cast("Callable[Concatenate[K, P], T]", ask)


# Fields that hold no nodes, or objects that all trees share (contexts and operators).
_PLAIN = frozenset(
    {"arg", "asname", "attr", "conversion", "ctx", "id", "is_async", "kind", "kwd_attrs", "level"}
    | {"module", "name", "op", "ops", "rest", "simple", "type_comment", "type_ignores"}
)
_WITH_GAPS = ("keys", "kw_defaults")  # lists that hold None, too
_LEAVES = (ast.Constant, ast.Global, ast.MatchSingleton, ast.Name, ast.Nonlocal)
_fields: dict[type, tuple[str, ...]] = {}  # of each class of nodes: those that may hold nodes


def holding(kind: type) -> tuple[str, ...]:
    """Return the fields of a class of nodes that may hold nodes which are this tree's own."""
    found = _fields.get(kind)
    if found is None:
        names: tuple[str, ...] = getattr(kind, "_fields", ())
        named = kind.__name__ == "TypeAlias"  # its name is a node
        found = tuple(each for each in names if each not in _PLAIN or (named and each == "name"))
        found = _fields[kind] = () if issubclass(kind, _LEAVES) else found
    return found


@kept
def walk(root: ast.AST) -> tuple[ast.AST, ...]:
    """Return a node and all that is in it, breadth first as `ast.walk` does; remembered.

    Contexts and operators, which trees share, are left out.
    """
    found = [root]
    for node in found:  # it grows as it is gone through
        found += children(node)
    return tuple(found)


def children(node: ast.AST) -> list[ast.AST]:
    """Return what `ast.iter_child_nodes` yields, but for contexts and operators."""
    found: list[ast.AST] = []
    kind = node.__class__
    for field in _fields[kind] if kind in _fields else holding(kind):
        value = getattr(node, field, None)
        if value.__class__ is list:
            found += value if field not in _WITH_GAPS else [each for each in value if each]
        elif isinstance(value, ast.AST):
            found.append(value)
        elif isinstance(value, list):  # a body that notes who looks at it
            found += value
    return found
