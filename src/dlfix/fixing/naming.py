"""Free names: plain strings, no trees of LibCST."""

from __future__ import annotations

import ast
import builtins
import keyword
import re
from collections.abc import Collection, Iterable

_BUILTINS = frozenset(dir(builtins))
_NAMES = re.compile(r"[^\W\d]\w*")


def free_name(wanted: str | Iterable[str], taken: Collection[str]) -> str:
    """Return the first of the wanted names that is free, else the first with a number."""
    candidates = [wanted] if isinstance(wanted, str) else list(wanted)
    for candidate in candidates:
        if is_free(candidate, taken):
            return candidate
    # With a number, what is no identifier stays none: "2d" would be tried for ever.
    stem = next(filter(str.isidentifier, candidates), "name")
    number = 2
    while not is_free(f"{stem}_{number}", taken):
        number += 1
    return f"{stem}_{number}"


def is_free(name: str, taken: Collection[str]) -> bool:
    """Return whether a name may be bound anew: an identifier, no keyword, no builtin, not taken."""
    if not name.isidentifier() or keyword.iskeyword(name):
        return False
    return name not in taken and name not in _BUILTINS


def names_in(tree: ast.AST) -> set[str]:
    """Return every name a tree binds or reads, attributes and keywords of calls not counted."""
    names: set[str] = set()
    for node in ast.walk(tree):
        names.update(_names_of(node))
    return names


def names_in_text(text: str) -> set[str]:
    """Return every word of a text: what is not here is surely free, and no tree is needed."""
    return set(_NAMES.findall(text))


def private(name: str) -> str:
    """Return a name with one leading underscore."""
    return "_" + name.lstrip("_")


def snake(name: str) -> str:
    """Return a name in snake_case: `ToTensor` gives `to_tensor`."""
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    return re.sub(r"\W+", "_", parted).strip("_").lower()


def _names_of(node: ast.AST) -> Iterable[str]:
    match node:
        case ast.Name(id=name) | ast.arg(arg=name):
            return (name,)
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return (name,)
        case ast.Global(names=names) | ast.Nonlocal(names=names):
            return names
        case ast.alias(name=name, asname=asname):
            return (asname or name.partition(".")[0],)
        case ast.ExceptHandler(name=name) | ast.MatchAs(name=name) | ast.MatchStar(name=name):
            return (name,) if name else ()
        case ast.MatchMapping(rest=rest):
            return (rest,) if rest else ()
    return ()
