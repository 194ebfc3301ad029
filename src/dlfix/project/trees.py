"""Walking syntax trees."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from dlfix.project.bodies import LOOKING, Body

K = TypeVar("K")
T = TypeVar("T")
P = ParamSpec("P")
SCOPED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def kept(work_out: Callable[Concatenate[K, P], T]) -> Callable[Concatenate[K, P], T]:
    """Remember what a function says of a node (or scope) in the node itself, to be forgotten with the tree."""

    @wraps(work_out)
    def ask(node: Any, *rest: Any) -> Any:
        key = (work_out, *rest) if rest else work_out
        try:
            answer, looked = node._kept[key]
        except (AttributeError, KeyError):
            answer, looked = _work_out(node, key, work_out, rest)
        if looked:
            for body in looked:
                body.look()
        return answer

    return cast("Callable[Concatenate[K, P], T]", ask)


def summary(work_out: Callable[Concatenate[K, P], T]) -> Callable[Concatenate[K, P], T]:
    """Remember what a function says of a node without any node in it; who asks has seen only that."""

    @wraps(work_out)
    def ask(node: Any, *rest: Any) -> Any:
        key = (work_out, *rest)
        try:
            answer, _ = node._kept[key]
        except (AttributeError, KeyError):
            answer, looked = _work_out(node, key, work_out, rest)
            if looked:
                node._said = {**getattr(node, "_said", {}), key: answer}
        return answer

    return cast("Callable[Concatenate[K, P], T]", ask)


def summaries(node: ast.AST, like: ast.AST | None = None) -> dict[Any, Any]:
    """Return what was said of a node, or would be said of it as of one like it."""
    if like is None:
        return getattr(node, "_said", {})
    for work_out, *rest in summaries(like):
        summary(work_out)(node, *rest)
    return summaries(node)


def _work_out(node: Any, key: Any, work_out: Any, rest: tuple[Any, ...]) -> tuple[Any, Any]:
    looked: dict[int, Body] = {}
    outer = LOOKING.at
    LOOKING.at = looked
    try:  # no `with`: this runs for each node that anything is kept of
        answer = work_out(node, *rest)
    finally:
        LOOKING.at = outer
    found = answer, (*looked.values(),) if looked else ()
    try:
        node._kept[key] = found
    except AttributeError:
        node._kept = {key: found}
    return found


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


@kept
def said(node: ast.AST) -> str:
    """Return the code of a node as text, wherever it stands; remembered."""
    return ast.dump(node)


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
