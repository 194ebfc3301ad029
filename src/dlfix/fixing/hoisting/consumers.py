"""Who asks a function what it is: its name, its parameters, its type."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from dlfix.project.syntax import last_name
from dlfix.reach.values import Bound, Function, Unknown

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.reach.analysis import Analysis

_NAMES = frozenset({"__name__", "__qualname__"})
_MADE = frozenset(
    {"__code__", "__defaults__", "__kwdefaults__", "__annotations__", "__globals__", "__closure__"}
)
_ASKING = frozenset(
    {
        "signature", "getfullargspec", "getargspec", "getsource", "getsourcelines", "isfunction",
        "isroutine", "ismethod", "get_type_hints",
    }
)  # fmt: skip
_TYPES = frozenset({"FunctionType", "LambdaType", "MethodType"})


@dataclass(frozen=True)
class Question:
    """An expression that asks something of what may be a function."""

    module: Module
    asked: ast.expr
    about: str  # as it is written: `__name__`, `inspect.signature`
    line: int
    only_shown: bool = (
        False  # whether it has a default, and only the text of an object depends on it
    )

    @property
    def place(self) -> str:
        """Where it stands."""
        return f"{self.module.path.name}:{self.line}"

    @property
    def is_name(self) -> bool:
        """Whether it asks for the name only, which a function at module level has too."""
        return self.about in _NAMES

    @property
    def is_type(self) -> bool:
        """Whether it asks for the type only."""
        return self.about in ("isinstance", "type")

    def asked_of(self, what: str) -> str:
        """Say what is asked of something."""
        if self.about.startswith("__"):
            return f"`{self.about}` of {what} is read"
        return f"`{self.about}` is applied to {what}"


class Consumers:
    """The questions of a project's code, and of whom they are asked."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis

    def asks(self, function: ast.AST, names: Collection[str]) -> list[Question]:
        """Return what may be asked of a function, which is kept under some names on its way."""
        return [each for each in self._questions if self._is_asked(each, function, names)]

    def _is_asked(self, question: Question, function: ast.AST, names: Collection[str]) -> bool:
        scope = question.module.scope_of(question.asked)
        values = self.analysis.values(Bound(question.asked, self.analysis.frame(scope)))
        if any(isinstance(each, Function) and each.node is function for each in values):
            return True
        unknown = not values or any(isinstance(each, Unknown) for each in values)
        return unknown and last_name(question.asked) in names

    @cached_property
    def _questions(self) -> list[Question]:
        project = self.analysis.project
        modules = {
            module.path: module
            for word in (*_NAMES, *_MADE, *_ASKING, *_TYPES)
            for module in project.mentions(word)
        }
        return [question for module in modules.values() for question in _questions_of(module)]


def _questions_of(module: Module) -> Iterator[Question]:
    for node in module.nodes(ast.Attribute):
        if node.attr in _NAMES | _MADE and isinstance(node.ctx, ast.Load):
            yield Question(module, node.value, node.attr, node.lineno)
    for call in module.calls:
        name = last_name(call.func)
        match call.args:
            case [asked, *_] if name in _ASKING:
                yield Question(module, asked, ast.unparse(call.func), call.lineno)
            case [asked, kind, *_] if name == "isinstance" and _names_in(kind) & _TYPES:
                yield Question(module, asked, "isinstance", call.lineno)
            case [asked, ast.Constant(value=str(attribute)), *_] if name in ("getattr", "hasattr"):
                if attribute in _NAMES | _MADE:
                    shown = len(call.args) == 3 and _is_of_text(module, call)
                    yield Question(module, asked, attribute, call.lineno, shown)
            case [asked] if name == "type" and _is_compared(module, call):
                yield Question(module, asked, "type", call.lineno)


def _is_of_text(module: Module, call: ast.Call) -> bool:
    """Return whether a call is part of a method that says how an object is shown."""
    return any(
        isinstance(each, ast.FunctionDef) and each.name in ("__repr__", "__str__", "extra_repr")
        for each in module.ancestors(call)
    )


def _is_compared(module: Module, call: ast.Call) -> bool:
    parent = module.parent(call)
    return isinstance(parent, ast.Compare) and bool(_names_in(parent) & _TYPES)


def _names_in(node: ast.AST) -> set[str]:
    return {last_name(each) for each in ast.walk(node) if isinstance(each, ast.expr)}
