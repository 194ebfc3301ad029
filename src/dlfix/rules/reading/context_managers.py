"""What `with` needs of a class, and which of its methods closes it."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from dlfix.project.trees import walk
from dlfix.rules.base import Place
from dlfix.rules.reading.exceptions import method

_CLOSING = ("close", "shutdown", "disconnect", "release", "cleanup", "stop")


@dataclass(frozen=True)
class HelperClass:
    """A class used in `with`: what it lacks, and the method that closes it."""

    name: str
    place: Place
    close: str | None
    enter: bool
    exit: bool
    typed: bool


def read(chain: Sequence[ast.ClassDef], place: Place) -> HelperClass | None:
    """Read the first class of a chain of classes that is known whole; None if `with` takes it."""
    enter, leave = lacks(chain, "__enter__"), lacks(chain, "__exit__")
    if not (enter or leave) or any(_is_made_otherwise(cls) for cls in chain):
        return None
    close = next((name for name in _CLOSING if _takes_nothing(chain, name)), None)
    typed = any(
        isinstance(statement, ast.FunctionDef) and statement.returns is not None
        for statement in chain[0].body
    )
    return HelperClass(chain[0].name, place, close, enter, leave, typed)


def lacks(chain: Sequence[ast.ClassDef], name: str) -> bool:
    """Return whether no class of the chain binds a name in its body."""
    return not any(name in _bound(cls) for cls in chain)


def _bound(cls: ast.ClassDef) -> set[str]:
    names = {
        node.id
        for node in walk(cls)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    names |= {
        node.name for node in walk(cls) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    return names | {
        alias.asname or alias.name
        for node in walk(cls)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def _is_made_otherwise(cls: ast.ClassDef) -> bool:
    """Return whether a metaclass or a decorator may add methods."""
    decorators = [
        ast.unparse(each.func if isinstance(each, ast.Call) else each)
        for each in cls.decorator_list
    ]
    return bool(cls.keywords) or any(name.rpartition(".")[2] != "dataclass" for name in decorators)


def _takes_nothing(chain: Sequence[ast.ClassDef], name: str) -> bool:
    for cls in chain:
        found = method(cls, name)
        if found is not None:
            arguments = found.args
            required = len(arguments.args) + len(arguments.posonlyargs) - len(arguments.defaults)
            return (
                isinstance(found, ast.FunctionDef)
                and not found.decorator_list
                and required == 1
                and None not in arguments.kw_defaults
            )
    return False
