"""The code that runs in workers, followed by calls and method names from what crosses to them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar
from weakref import WeakKeyDictionary

from dlfix.project.trees import walk
from dlfix.reach.methods import methods_of
from dlfix.reach.values import BoundMethod, Class, Function, Instance

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.project.scopes import Scope
    from dlfix.reach.analysis import Analysis
    from dlfix.reach.crossing import Crossing
    from dlfix.reach.values import Value
    from dlfix.rules.base import Step

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

# What Python and torch call on an object that crossed.
ENTRIES = frozenset(
    [
        "__getitem__",
        "__getitems__",
        "__iter__",
        "__next__",
        "__call__",
        "__setstate__",
        "__getattr__",
        "__enter__",
        "__exit__",
        "__contains__",
        "__missing__",
        "forward",
        "run",
    ]
)


@dataclass(frozen=True)
class WorkerFunction:
    """A function that runs in a worker, and the crossing that brings it there."""

    module: Module
    node: FunctionNode
    crossing: Crossing
    qualname: str

    @property
    def steps(self) -> tuple[Step, ...]:
        """The way from the boundary to what holds the function."""
        return self.crossing.path


@dataclass(frozen=True)
class GlobalRead:
    """A module-level name that a worker reads."""

    name: str
    module: Module  # the module that binds the name
    node: ast.Name | ast.Attribute
    function: WorkerFunction

    @property
    def reader(self) -> str:
        """Who reads it, for a message."""
        return f"`{self.function.qualname}` (line {self.node.lineno})"


class WorkerCode:
    """All functions that run in workers, as far as they can be followed."""

    _made: ClassVar[WeakKeyDictionary[Analysis, WorkerCode]] = WeakKeyDictionary()

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        self.functions: dict[ast.AST, WorkerFunction] = {}
        self._classes: set[ast.ClassDef] = set()
        self._waiting: dict[str, list[tuple[FunctionNode, Class, Crossing]]] = {}  # for a call
        self._called: set[str] = set(ENTRIES)
        self._open: list[WorkerFunction] = []
        for crossing in analysis.crossings:
            if crossing.edge.kind != "returned" and crossing.boundary.workers is not False:
                self._meet(crossing.value, crossing)
        while self._open:
            self._follow(self._open.pop())

    @classmethod
    def of(cls, analysis: Analysis) -> WorkerCode:
        """Return the one that belongs to an analysis."""
        if analysis not in cls._made:
            cls._made[analysis] = cls(analysis)
        return cls._made[analysis]

    def runs(self, module: Module, node: ast.AST) -> WorkerFunction | None:
        """Return the worker's function that a node is part of."""
        for above in (node, *module.ancestors(node)):
            if above in self.functions:
                return self.functions[above]
        return None

    def global_reads(self, *, writes: bool = False) -> Iterator[GlobalRead]:
        """Yield the reads of module-level names, those of modules' attributes included.

        With `writes`, yield the names that are declared `global` there, too.
        """
        for function in list(self.functions.values()):
            for scope in function.module.inner_scope(function.node).walk():
                yield from self._reads_of(function, scope)
                if writes:
                    yield from self._declared(function, scope)

    def _reads_of(self, function: WorkerFunction, scope: Scope) -> Iterator[GlobalRead]:
        module = function.module
        for name, nodes in scope.reads.items():
            if scope.lookup(name) is module.scope:
                home, own = self.home(module, name)
                yield GlobalRead(own, home, nodes[0], function)
        for node in _run_within(scope.node):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                target = self.module_named(module, scope, node.value.id)
                if target is not None and node.attr in target.scope.bindings:
                    yield GlobalRead(node.attr, target, node, function)

    def _declared(self, function: WorkerFunction, scope: Scope) -> Iterator[GlobalRead]:
        for name in sorted(scope.globals):
            node = ast.copy_location(ast.Name(name, ast.Load()), function.node)
            yield GlobalRead(name, function.module, node, function)

    def home(self, module: Module, name: str) -> tuple[Module, str]:
        """Return the module of the tree that a name is imported from, and its name there."""
        for binding in module.scope.bindings.get(name, []):
            if not isinstance(binding.node, (ast.alias, ast.ImportFrom)):
                continue
            source = import_source(self.analysis, module, binding.statement, name)
            if source is not None and source[1] in source[0].scope.bindings:
                return source
        return module, name

    def module_named(self, module: Module, scope: Scope, name: str) -> Module | None:
        """Return the module of the tree that a name stands for."""
        found = scope.lookup(name)
        if found is None or not any(b.kind == "import" for b in found.bindings.get(name, [])):
            return None
        for binding in found.bindings[name]:
            if isinstance(binding.statement, ast.ImportFrom):
                base = _from(self.analysis, module, binding.statement)
                original = _original(binding.statement, name)
                target = self.analysis.project.find(
                    f"{base}.{original}" if base else original, module
                )
            elif isinstance(binding.statement, ast.Import):
                dotted = _original(binding.statement, name)
                target = self.analysis.project.find(dotted, module)
            else:
                continue
            if target is not None:
                return target
        return None

    def _meet(self, value: Value, crossing: Crossing) -> None:
        if isinstance(value, Function):
            self._add(value.module, value.node, crossing)
        elif isinstance(value, BoundMethod):
            self._meet(value.function, crossing)
            self._meet(value.owner, crossing)
        elif isinstance(value, Instance):
            self._meet_class(value.cls, crossing)

    def _meet_class(self, cls: Class, crossing: Crossing) -> None:
        """Take in the methods of a class that a worker calls by name; the others wait for a call."""
        if cls.node in self._classes:
            return
        for base in self.analysis.mro(cls):
            if isinstance(base, Class) and base.node not in self._classes:
                self._classes.add(base.node)
                for name, method in methods_of(base.node).items():
                    self._waiting.setdefault(name, []).append((method, base, crossing))
        self._call_methods(self._called & self._waiting.keys())

    def _call_methods(self, names: set[str]) -> None:
        """Take in the methods of these names, of all classes met."""
        for name in sorted(names):
            for method, cls, crossing in self._waiting.pop(name):
                self._add(cls.module, method, crossing)

    def _add(self, module: Module, node: FunctionNode, crossing: Crossing) -> None:
        if node not in self.functions:
            qualname = module.inner_scope(node).qualname
            function = WorkerFunction(module, node, crossing, qualname)
            self.functions[node] = function
            self._open.append(function)

    def _follow(self, function: WorkerFunction) -> None:
        module = function.module
        fresh: set[str] = set()
        for node in _run_within(function.node):
            if isinstance(node, ast.Attribute):
                fresh.add(node.attr)
            if isinstance(node, ast.Call):
                self._follow_call(module, node, function.crossing)
        self._called |= fresh - {"__init__", "__len__"}
        self._call_methods(self._called & fresh & self._waiting.keys())

    def _follow_call(self, module: Module, call: ast.Call, crossing: Crossing) -> None:
        if not isinstance(call.func, (ast.Name, ast.Attribute)):
            return
        frame = self.analysis.frame(module.scope_of(call.func))
        for reached in self.analysis.evaluate(call.func, frame):
            value = reached.value
            if isinstance(value, Class):
                self._meet_class(value, crossing)
                init = self.analysis.method(value, "__init__")
                if init is not None:
                    self._add(init.module, init.node, crossing)
            elif isinstance(value, Function):
                self._add(value.module, value.node, crossing)
            elif isinstance(value, BoundMethod):
                self._add(value.function.module, value.function.node, crossing)


def _run_within(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what a call of a function runs: its decorators and defaults ran when it was made."""
    body = getattr(node, "body", None)
    for each in body if isinstance(body, list) else [body or node]:
        yield from walk(each)


def import_source(
    analysis: Analysis, module: Module, statement: ast.AST, name: str
) -> tuple[Module, str] | None:
    """Return the module of the tree, and the name there, that a `from` import takes a name from."""
    if not isinstance(statement, ast.ImportFrom):
        return None
    source = analysis.project.find(_from(analysis, module, statement), module)
    return None if source is None else (source, _original(statement, name))


def _from(analysis: Analysis, module: Module, statement: ast.ImportFrom) -> str:
    if statement.level:
        return analysis.project.relative(module, statement.level, statement.module)
    return statement.module or ""


def _original(statement: ast.Import | ast.ImportFrom, name: str) -> str:
    for alias in statement.names:
        if name in (alias.asname, alias.name) or alias.name.startswith(f"{name}."):
            return name if alias.asname is None else alias.name
    return name
