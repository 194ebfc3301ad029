"""The code that runs in a worker, and what the classes there are made of."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dlfix.project.syntax import is_attribute_of
from dlfix.project.trees import children, kept
from dlfix.reach.calls import ANYTHING
from dlfix.reach.methods import PROPERTIES, decorator_kind
from dlfix.reach.values import (
    Arguments,
    BoundMethod,
    Class,
    External,
    Frame,
    Function,
    Instance,
    Partial,
    Value,
)
from dlfix.reach.worker_code import WorkerCode

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
    """Return a method of an instance, own or inherited, as code to read; it may get anything."""
    function = analysis.method(instance.cls, name)
    if function is None:
        return None
    return _called_so(analysis, function, ANYTHING, function.node, function.frame, instance)


def code_of(analysis: Analysis, function: Function, owner: Instance | None) -> Code | None:
    """Return a function's code, callers to be looked up; None for a lambda."""
    if isinstance(function.node, ast.Lambda):
        return None
    scope = function.module.inner_scope(function.node)
    frame = Frame(scope, function.frame, None, owner) if owner else analysis.frame(scope)
    return Code(function.node, function.module, frame, owner)


def _called_so(
    analysis: Analysis,
    function: Function,
    arguments: Arguments,
    call: ast.AST,
    caller: Frame,
    owner: Instance | None,
) -> Code | None:
    """Return a function's code as one call runs it; deep down, its parameters may be anything."""
    if isinstance(function.node, ast.Lambda):
        return None
    calls = analysis.interpreter.calls
    frame = calls.frame_of(function, arguments, call, caller, owner)
    return Code(function.node, function.module, frame or calls.of_anything(function, owner), owner)


def runs(
    analysis: Analysis,
    start: Iterable[Code],
    towards: Towards | None = None,
    without: Callable[[Definition], set[ast.Call]] | None = None,
) -> Iterator[Code]:
    """Yield these functions and all that they call in view, each once.

    With `towards`, only such of these: calls of others are not followed, nor those that `without` names.
    """
    waiting = deque(start)
    seen: set[ast.AST] = set()
    while waiting and len(seen) < _MOST:
        code = waiting.popleft()
        if code.node in seen or (towards is not None and code.node not in towards.functions):
            continue
        seen.add(code.node)
        yield code
        left_out = without(code.node) if without is not None else ()
        for call in calls(code.node):
            if call in left_out:
                continue
            if towards is None or towards.may_be_by(code.module, call):
                waiting.extend(called(analysis, code, call))
        waiting.extend(_properties(analysis, code))


def _properties(analysis: Analysis, code: Code) -> Iterator[Code]:
    """Yield the properties of its own object that a method reads."""
    owner = code.owner
    for node in own(code.node) if owner is not None else ():
        if is_attribute_of(node, "self") and isinstance(node.ctx, ast.Load) and owner is not None:
            function = analysis.method(owner.cls, node.attr)
            if function is not None and decorator_kind(function.node) in PROPERTIES:
                found = method(analysis, owner, node.attr)
                yield from [found] if found is not None else []


class Towards:
    """The functions in workers whose calls may lead to one that is sought, these included."""

    def __init__(self, analysis: Analysis, sought: Callable[[Module, ast.AST], bool]) -> None:
        self._code = WorkerCode.of(analysis)
        self.functions = self._code.leading_to(
            [node for node, each in self._code.functions.items() if sought(each.module, node)]
        )
        self._names = {getattr(node, "name", "") for node in self.functions}

    def may_be_by(self, module: Module, call: ast.Call) -> bool:
        """Tell, by what it names, whether a call may run one of them."""
        named = self._code.stands_for(module, call.func)
        if named and all(isinstance(value, (Function, Class)) for value in named):
            return any(v.node in self.functions for v in named if isinstance(v, Function))
        name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        return name in self._names or "__call__" in self._names or not name


def called(analysis: Analysis, code: Code, call: ast.Call) -> list[Code]:
    """Return the functions of the tree that a call runs."""
    arguments = analysis.interpreter.calls.arguments(call, code.frame)
    found: list[Code | None] = []
    for value in _callees(analysis, code, call):
        found += [
            _called_so(analysis, function, given, call, code.frame, owner)
            for function, owner, given in _run_by(analysis, value, arguments)
        ]
    return [each for each in found if each is not None]


def _callees(analysis: Analysis, code: Code, call: ast.Call) -> list[Value]:
    match call.func:
        case ast.Attribute(value=ast.Name("self"), attr=name) if code.owner is not None:
            function = analysis.method(code.owner.cls, name)
            if function is not None:
                return [BoundMethod(function, code.owner)]
        case ast.Attribute(attr=name) if not analysis.project.defines(name):
            return []
    return values(analysis, call.func, code.frame)


def _run_by(
    analysis: Analysis, value: Value, given: Arguments
) -> list[tuple[Function, Instance | None, Arguments]]:
    """Return the functions of the tree that calling a value runs, on what and with what."""
    match value:
        case Function():
            return [(value, None, given)]
        case BoundMethod(function=function, owner=owner):
            return [(function, owner if isinstance(owner, Instance) else None, given)]
        case Partial(function=function, arguments=bound):
            return _run_by(analysis, function, bound.followed_by(given))
        case Instance():
            call = analysis.method(value.cls, "__call__")
            return [] if call is None else [(call, value, given)]
    return []


def started(analysis: Analysis, value: Value) -> list[Code]:
    """Return the code that runs when a worker calls a value."""
    found = (
        code_of(analysis, function, owner)
        for function, owner, _ in _run_by(analysis, value, Arguments())
    )
    return [code for code in found if code is not None]


def started_with(
    analysis: Analysis, value: Value, given: Arguments, call: ast.AST, caller: Frame
) -> list[Code]:
    """Return the code that runs when a value is called with some arguments, on behalf of a call."""
    found = (
        _called_so(analysis, function, arguments, call, caller, owner)
        for function, owner, arguments in _run_by(analysis, value, given)
    )
    return [code for code in found if code is not None]


def values(analysis: Analysis, node: ast.expr, frame: Frame) -> list[Value]:
    """Return what an expression may stand for."""
    return [reached.value for reached in analysis.evaluate(node, frame)]


@kept
def calls(tree: ast.AST) -> tuple[ast.Call, ...]:
    """Return the calls of a function, but not those of functions it defines."""
    return tuple(node for node in own(tree) if isinstance(node, ast.Call))


@kept
def own(tree: ast.AST) -> tuple[ast.AST, ...]:
    """Return what is in a function, but not in the functions and classes that it defines."""
    found: list[ast.AST] = []
    pending = children(tree)[::-1]
    while pending:
        node = pending.pop()
        if not isinstance(node, _DEFINING):
            found.append(node)
            pending += children(node)[::-1]
    return tuple(found)
