"""The code that runs in a worker, and what the classes there are made of."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from dlfix.reach.values import (
    BoundMethod,
    Class,
    External,
    Frame,
    Function,
    Instance,
    Partial,
    Value,
)

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.reach.analysis import Analysis
    from dlfix.reach.crossing import Crossing

ENTRIES = ("__getitem__", "__getitems__", "__iter__", "__next__", "__call__", "forward")
_MOST = 200
_DEFINING = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
Definition = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, eq=False)
class Code:
    """A function that runs in a worker, read in a frame."""

    node: Definition
    module: Module
    frame: Frame
    owner: Instance | None = None


def chain(analysis: Analysis, cls: Class) -> tuple[list[Class], list[str]]:
    """Return a class and its bases in the tree, and the names of the bases outside it."""
    inside: list[Class] = []
    outside: list[str] = []
    for base in analysis.mro(cls):
        if isinstance(base, Class):
            inside.append(base)
        else:
            outside.append(base.name if isinstance(base, External) else "?")
    return inside, [name for name in outside if name not in ("object", "builtins.object")]


def nodes(classes: Iterable[Class]) -> list[ast.ClassDef]:
    """Return the class statements."""
    return [cls.node for cls in classes]


def datasets(analysis: Analysis) -> Iterator[tuple[Instance, Crossing]]:
    """Yield each dataset of the tree that reaches a worker, once for each class."""
    seen: set[ast.ClassDef] = set()
    for instance, crossing in analysis.datasets():
        if not isinstance(instance, Instance) or crossing.boundary.workers is False:
            continue
        if instance.cls.node not in seen:
            seen.add(instance.cls.node)
            yield instance, crossing


def methods(analysis: Analysis, instance: Instance, names: Sequence[str] = ENTRIES) -> list[Code]:
    """Return the methods of an instance that a worker calls by themselves."""
    found = (method(analysis, instance, name) for name in names)
    return [code for code in found if code is not None]


def method(analysis: Analysis, instance: Instance, name: str) -> Code | None:
    """Return a method of an instance, own or inherited, as code to read."""
    function = analysis.method(instance.cls, name)
    return None if function is None else code_of(analysis, function, instance)


def code_of(analysis: Analysis, function: Function, owner: Instance | None) -> Code | None:
    """Return a function's code; None for a lambda."""
    if isinstance(function.node, ast.Lambda):
        return None
    scope = function.module.inner_scope(function.node)
    frame = Frame(scope, function.frame, None, owner) if owner else analysis.frame(scope)
    return Code(function.node, function.module, frame, owner)


def runs(analysis: Analysis, start: Iterable[Code]) -> list[Code]:
    """Return these functions and all that they call in view, each once."""
    waiting = list(start)
    found: list[Code] = []
    seen: set[ast.AST] = set()
    while waiting and len(found) < _MOST:
        code = waiting.pop(0)
        if code.node in seen:
            continue
        seen.add(code.node)
        found.append(code)
        for call in calls(code.node):
            waiting.extend(called(analysis, code, call))
    return found


def called(analysis: Analysis, code: Code, call: ast.Call) -> list[Code]:
    """Return the functions of the tree that a call runs."""
    match call.func:
        case ast.Attribute(value=ast.Name("self"), attr=name) if code.owner is not None:
            found = method(analysis, code.owner, name)
            if found is not None:
                return [found]
    return [
        each for value in values(analysis, call.func, code.frame) for each in _code(analysis, value)
    ]


def _code(analysis: Analysis, value: Value) -> list[Code]:
    match value:
        case Function():
            found = code_of(analysis, value, None)
        case BoundMethod(function=function, owner=owner):
            found = code_of(analysis, function, owner if isinstance(owner, Instance) else None)
        case Partial(function=function):
            return _code(analysis, function)
        case Instance():
            found = method(analysis, value, "__call__")
        case _:
            found = None
    return [] if found is None else [found]


def started(analysis: Analysis, value: Value) -> list[Code]:
    """Return the code that runs when a worker calls a value."""
    return _code(analysis, value)


def values(analysis: Analysis, node: ast.expr, frame: Frame) -> list[Value]:
    """Return what an expression may stand for."""
    return [reached.value for reached in analysis.evaluate(node, frame)]


@lru_cache(maxsize=16_384)
def calls(tree: ast.AST) -> tuple[ast.Call, ...]:
    """Return the calls of a function, but not those of functions it defines."""
    return tuple(node for node in own(tree) if isinstance(node, ast.Call))


def own(tree: ast.AST) -> Iterator[ast.AST]:
    """Walk a function, but into no function or class that it defines."""
    pending = [*ast.iter_child_nodes(tree)][::-1]
    while pending:
        node = pending.pop()
        if not isinstance(node, _DEFINING):
            yield node
            pending += [*ast.iter_child_nodes(node)][::-1]
