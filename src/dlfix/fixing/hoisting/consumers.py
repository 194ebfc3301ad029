"""Who asks a function what it is: its name, its parameters, its type."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from dlfix.project import scan
from dlfix.project.importing import beside
from dlfix.project.syntax import FUNCTIONS, last_name
from dlfix.reach.values import Bound, BoundMethod, Function, Unknown

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.project.project import Project
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
_METHODS = ["MethodType"]
_WORDS = (*sorted(_NAMES), *sorted(_MADE), *sorted(_ASKING), *sorted(_TYPES))


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
    of_methods: bool = False  # whether it asks only if it is a bound method

    @property
    def place(self) -> str:
        """Where it stands."""
        return f"{self.module.path.name}:{self.line}"

    @property
    def is_name(self) -> bool:
        """Whether it asks for the name only, which a function at module level has too."""
        return self.about in _NAMES

    @property
    def is_signature(self) -> bool:
        """Whether it asks for the parameters only."""
        return self.about.rpartition(".")[2] == "signature"

    @property
    def is_type(self) -> bool:
        """Whether it asks for the type only."""
        return self.about in ("isinstance", "type")

    def asked_of(self, what: str) -> str:
        """Say what is asked of something."""
        if self.about.startswith("__"):
            return f"`{self.about}` of {what} is read"
        name = f"`{ast.unparse(self.asked)}`"
        if isinstance(self.asked, (ast.Name, ast.Attribute)) and name != what:
            return f"`{self.about}` is applied to {name}, which may be {what}"
        return f"`{self.about}` is applied to {what}"


class Consumers:
    """The questions of a project's code, and of whom they are asked."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        self._own: dict[Module, frozenset[Module] | None] = {}
        self._found: dict[Module, list[Question]] = {}

    def asks(self, home: Module, function: ast.AST, names: Collection[str]) -> list[Question]:
        """Return what may be asked of a function of a module, which is kept under some names on its way."""
        questions = (each for module in self._asking(home) for each in self._questions(module))
        return [each for each in questions if self._is_asked(each, function, names)]

    def may_ask_signature(self, home: Module, function: ast.AST, names: Collection[str]) -> bool:
        """Return whether code asks for the parameters of a function, or of what has its name, private or not."""
        known = {each.strip("_") for each in names}
        questions = (each for module in self._asking(home) for each in self._questions(module))
        return any(
            last_name(each.asked).strip("_") in known or self._is_asked(each, function, names)
            for each in questions
            if each.is_signature
        )

    def _is_asked(self, question: Question, function: ast.AST, names: Collection[str]) -> bool:
        scope = question.module.scope_of(question.asked)
        values = self.analysis.values(Bound(question.asked, self.analysis.frame(scope)))
        found = (each.function if isinstance(each, BoundMethod) else each for each in values)
        if any(isinstance(each, Function) and each.node is function for each in found):
            return True
        unknown = not values or any(isinstance(each, Unknown) for each in values)
        if not unknown or last_name(question.asked) not in names:
            return False
        decorated = bool(getattr(function, "decorator_list", ()))
        return decorated or not _is_of_decorated(self.analysis.project, question)

    def _asking(self, home: Module) -> list[Module]:
        """Return the modules that may ask something of a function of a module."""
        if home not in self._own:
            self._own[home] = beside(self.analysis.project, home)
        own = self._own[home]
        return [each for each in self._modules if own is None or each in own]

    @cached_property
    def _modules(self) -> list[Module]:
        """The modules that have a word of a question."""
        mentions = self.analysis.project.mentions
        return [*{module.path: module for word in _WORDS for module in mentions(word)}.values()]

    def _questions(self, module: Module) -> list[Question]:
        if module not in self._found:
            self._found[module] = _questions_in(module)
        return self._found[module]


def _is_of_decorated(project: Project, question: Question) -> bool:
    """Return whether a question is asked of what a decorator gets, and the decorator is used as nothing else."""
    module, asked = question.module, question.asked
    scope = module.scope_of(asked).lookup(asked.id) if isinstance(asked, ast.Name) else None
    if scope is None or not isinstance(asked, ast.Name) or not isinstance(scope.node, FUNCTIONS):
        return False
    if [each.kind for each in scope.bindings[asked.id]] != ["parameter"]:
        return False
    function, above = scope.node, module.parent(scope.node)
    match above:
        case ast.Module():
            return _only_decorates(project, function.name, called=False)
        case ast.ClassDef(name=name) if function.name == "__call__":
            return _only_decorates(project, name, called=True)
        case ast.FunctionDef(name=name) if isinstance(module.parent(above), ast.Module):
            uses = (n for n in ast.walk(above) if getattr(n, "id", "") == function.name)
            is_given = all(isinstance(module.parent(each), ast.Return) for each in uses)
            return is_given and _only_decorates(project, name, called=True)
    return False


def _only_decorates(project: Project, name: str, *, called: bool) -> bool:
    """Return whether all that a project does with a name is to decorate by it, or by what calling it gives."""
    for module in project.mentions(name):
        if module.aliases_of(name):
            return False
        for use in module.nodes_by_name.get(name, ()):
            if not isinstance(use, (ast.Name, ast.Attribute)):
                continue
            decorator = module.parent(use) if called else use
            if called and not (isinstance(decorator, ast.Call) and decorator.func is use):
                return False
            of = module.parent(decorator) if decorator is not None else None
            if decorator not in getattr(of, "decorator_list", ()):
                return False
    return True


def _questions_in(module: Module) -> list[Question]:
    table = module.table(_rows_by_word, _may_ask)
    rows = {row for word in _WORDS for row in table.get(word, ())}
    return [Question(module, *row[:-1]) for row in sorted(rows, key=lambda row: row[-1])]


Row = tuple[ast.expr, str, int, bool, bool, int]  # a question, and which one of its module it is


def _rows_by_word(module: Module) -> dict[str, list[Row]]:
    """Return the questions of a module by a word that is in each."""
    found: dict[str, list[Row]] = {}
    for number, (word, asked, about, line, shown, methods) in enumerate(_questions_of(module)):
        if not _is_class(asked):
            found.setdefault(word, []).append((asked, about, line, shown, methods, number))
    return found


def _may_ask(data: bytes, word: bytes) -> bool:
    """Return whether a text may ask what a word stands for."""
    return (
        scan.may_read(data, word)
        or scan.may_call(data, word)
        or (word.decode() in _TYPES and scan.may_name(data, word))
        or any(quote + word + quote in data for quote in (b"'", b'"'))
    )


def _is_class(node: ast.expr) -> bool:
    """Return whether an expression is a class, by how it is written: no function is."""
    if isinstance(node, ast.Call):
        return last_name(node.func) == "type" and len(node.args) == 1
    return isinstance(node, ast.Attribute) and node.attr == "__class__"


def _questions_of(module: Module) -> Iterator[tuple[str, ast.expr, str, int, bool, bool]]:
    """Yield the questions, each with a word that is in it, of whom, how it is written, the line, if it is for show, and of methods."""
    for node in module.nodes(ast.Attribute):
        if node.attr in _NAMES | _MADE and isinstance(node.ctx, ast.Load):
            yield node.attr, node.value, node.attr, node.lineno, False, False
    for call in module.calls:
        name = last_name(call.func)
        match call.args:
            case [asked, *_] if name in _ASKING:
                yield name, asked, ast.unparse(call.func), call.lineno, False, False
            case [asked, kind, *_] if name == "isinstance" and (types := _types_in(kind)):
                yield types[0], asked, "isinstance", call.lineno, False, types == _METHODS
            case [asked, ast.Constant(value=str(attribute)), *_] if name in ("getattr", "hasattr"):
                if attribute in _NAMES | _MADE:
                    shown = len(call.args) == 3 and _is_of_text(module, call)
                    yield attribute, asked, attribute, call.lineno, shown, False
            case [asked] if name == "type" and (types := _compared_with(module, call)):
                yield types[0], asked, "type", call.lineno, False, types == _METHODS


def _is_of_text(module: Module, call: ast.Call) -> bool:
    """Return whether a call is part of a method that says how an object is shown."""
    return any(
        isinstance(each, ast.FunctionDef) and each.name in ("__repr__", "__str__", "extra_repr")
        for each in module.ancestors(call)
    )


def _compared_with(module: Module, call: ast.Call) -> list[str]:
    parent = module.parent(call)
    return _types_in(parent) if isinstance(parent, ast.Compare) else []


def _types_in(node: ast.AST) -> list[str]:
    """Return the types of functions that an expression names."""
    return sorted({last_name(e) for e in ast.walk(node) if isinstance(e, ast.expr)} & _TYPES)
