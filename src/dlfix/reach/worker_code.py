"""The code that runs in workers: what the functions that cross name, and the methods they call.

Which object a method is called on is not asked: a method runs where a class that came to the worker,
or is made there, has one of a name that code in the worker calls.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from dlfix.project.syntax import last_name
from dlfix.project.trees import walk
from dlfix.reach.methods import PROPERTIES, decorator_kind
from dlfix.reach.values import (
    BoundMethod,
    Class,
    Function,
    Instance,
    ModuleValue,
    Partial,
)

if TYPE_CHECKING:
    from dlfix.project.module import Module, Scope
    from dlfix.reach.analysis import Analysis
    from dlfix.reach.crossing import Boundary, Crossing
    from dlfix.reach.steps import Step
    from dlfix.reach.values import Value

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

_BUILTINS = frozenset(dir(builtins))
_OF_WITH = frozenset({"__enter__", "__exit__"})

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
        "__contains__",
        "__missing__",
        "forward",
    ]
)
_ROOTS = ("object", "builtins.object")


def entry_methods(analysis: Analysis, cls: Class) -> frozenset[str]:
    """Return the methods that are called on an object that crossed: `run` where a library knows it, as of a process."""
    is_known = any(
        not isinstance(base, Class) and getattr(base, "name", "") not in _ROOTS
        for base in analysis.mro(cls)
    )
    return ENTRIES | {"run"} if is_known else ENTRIES


@dataclass(frozen=True)
class WorkerFunction:
    """A function that runs in a worker, and the crossing that brings it there."""

    module: Module
    node: FunctionNode
    crossing: Crossing
    qualname: str

    @property
    def is_generator(self) -> bool:
        """Whether it yields, as what `contextlib.contextmanager` takes does."""
        return bool(self.module.inner_scope(self.node).yields)

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
        where = f"{self.function.module.path.name}:{self.node.lineno}"
        return f"`{self.function.qualname}` ({where})"


# The name that is read, the module that binds it, and where it is read.
NameRead: TypeAlias = "tuple[str, Module, ast.Name | ast.Attribute]"


class WorkerCode:
    """All functions that run in workers, as far as they can be followed; with `only`, in those of one boundary."""

    def __init__(self, analysis: Analysis, only: Boundary | None = None) -> None:
        self.analysis = analysis
        self.functions: dict[ast.AST, WorkerFunction] = {}
        self._classes: set[ast.ClassDef] = set()
        self._waiting: dict[str, list[tuple[FunctionNode, Class, Crossing]]] = {}  # for a call
        self._called: set[str] = set(ENTRIES)
        shared = None if only is None else WorkerCode.of(analysis)
        self._uses: dict[ast.AST, Uses] = {} if shared is None else shared._uses
        self._names: dict[tuple[Scope, str], list[Value]] = {} if shared is None else shared._names
        self._reads: dict[Scope, tuple[NameRead, ...]] = {} if shared is None else shared._reads
        self._open: list[WorkerFunction] = []
        crossings = analysis.crossings if only is None else _crossings_of(analysis, only)
        for crossing in crossings:
            is_sent = crossing.edge.kind != "returned" and not crossing.boundary.is_message
            if is_sent and crossing.boundary.workers is not False:
                self._meet(crossing.value, crossing)
        while self._open:
            self._follow(self._open.pop())

    @classmethod
    def of(cls, analysis: Analysis) -> WorkerCode:
        """Return the one that belongs to an analysis."""
        return analysis.once(cls.__name__, lambda: cls(analysis))

    @classmethod
    def of_boundary(cls, analysis: Analysis, boundary: Boundary) -> WorkerCode:
        """Return the functions that run in the workers of one boundary."""
        known: dict[ast.AST, WorkerCode] = analysis.once("WorkerCode.of_boundary", dict)
        if boundary.node not in known:
            known[boundary.node] = cls(analysis, boundary)
        return known[boundary.node]

    def runs(self, module: Module, node: ast.AST) -> WorkerFunction | None:
        """Return the worker's function that a node is part of: decorators are run where it is defined."""
        child = node
        for above in (node, *module.ancestors(node)):
            if above in self.functions and child not in getattr(above, "decorator_list", ()):
                return self.functions[above]
            child = above
        return None

    def of_name(self, name: str) -> list[WorkerFunction]:
        """Return the worker's functions and methods of a name."""
        return [each for node, each in self.functions.items() if getattr(node, "name", "") == name]

    def global_reads(self, *, writes: bool = False) -> Iterator[GlobalRead]:
        """Yield the reads of module-level names, those of modules' attributes included.

        With `writes`, yield the names that are declared `global` there, too.
        """
        for function in list(self.functions.values()):
            for scope in function.module.inner_scope(function.node).walk():
                yield from self._reads_of(function, scope)
                if writes:
                    yield from self._declared(function, scope)

    @cached_property
    def first_reads(self) -> dict[tuple[Module, str], GlobalRead]:
        """The first read of each module-level name, by the module and the name."""
        found: dict[tuple[Module, str], GlobalRead] = {}
        for read in self.global_reads():
            found.setdefault((read.module, read.name), read)
        return found

    def _reads_of(self, function: WorkerFunction, scope: Scope) -> Iterator[GlobalRead]:
        if scope not in self._reads:
            self._reads[scope] = tuple(self._read_in(function.module, scope))
        return (GlobalRead(*read, function) for read in self._reads[scope])

    def _read_in(self, module: Module, scope: Scope) -> Iterator[NameRead]:
        for name, nodes in scope.reads.items():
            if scope.lookup(name) is module.scope:
                home, own = self.home(module, name)
                yield own, home, nodes[0]
        for node in _run_within(scope.node):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                target = self.module_named(module, scope, node.value.id)
                if target is not None and node.attr in target.scope.bindings:
                    yield node.attr, target, node

    def _declared(self, function: WorkerFunction, scope: Scope) -> Iterator[GlobalRead]:
        for name in sorted(scope.globals):
            node = ast.copy_location(ast.Name(name, ast.Load()), function.node)
            yield GlobalRead(name, function.module, node, function)

    def home(self, module: Module, name: str) -> tuple[Module, str]:
        """Return the module of the tree that a name is imported from, and its name there: where it is bound, not passed on."""
        met = {(module, name)}
        while True:
            source = self._source(module, name)
            if source is None or source in met:
                return module, name
            met.add(source)
            module, name = source

    def _source(self, module: Module, name: str) -> tuple[Module, str] | None:
        for binding in module.scope.bindings.get(name, []):
            if not isinstance(binding.node, (ast.alias, ast.ImportFrom)):
                continue
            source = import_source(self.analysis, module, binding.statement, name)
            if source is not None and source[1] in source[0].scope.bindings:
                return source
        return None

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
        entered = entry_methods(self.analysis, cls)
        for base in self.analysis.mro(cls):
            if isinstance(base, Class) and base.node not in self._classes:
                self._classes.add(base.node)
                for method in base.node.body:  # a property's getter and setter have one name
                    if isinstance(method, (ast.FunctionDef, ast.AsyncFunctionDef)):
                        waiting = self._waiting.setdefault(method.name, [])
                        waiting.append((method, base, crossing))
                        if method.name == "run" and "run" in entered:
                            self._add(base.module, method, crossing)
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
            for part in _parts(module, node):
                self._add(module, part, crossing)

    def _follow(self, function: WorkerFunction) -> None:
        if function.node not in self._uses:
            self._uses[function.node] = self._used_by(function)
        uses = self._uses[function.node]
        for value in uses.values:
            self._use(value, function.crossing)
        self._called |= uses.attributes - {"__init__", "__len__"}
        self._call_methods(self._called & uses.attributes & self._waiting.keys())

    def _used_by(self, function: WorkerFunction) -> Uses:
        """Return what a function's code names: by names of modules, and by attributes of anything."""
        attributes: set[str] = set()
        called: set[str] = set()
        values: list[Value] = []
        entered = False
        for node in _run_within(function.node):
            if isinstance(node, (ast.With, ast.AsyncWith)):
                entered = True
            elif isinstance(node, ast.Attribute):
                attributes.add(node.attr)
                values += [v for v in self.stands_for(function.module, node) if _is_code(v)]
            elif isinstance(node, ast.Name):
                values += [v for v in self.stands_for(function.module, node) if _is_code(v)]
            elif isinstance(node, ast.Call):
                called |= {"__call__", getattr(node.func, "attr", "")}
                entered |= last_name(node.func) == "enter_context"
                values += [
                    v for v in self.stands_for(function.module, node.func) if isinstance(v, Class)
                ]
        if entered:
            attributes |= _OF_WITH
            called |= _OF_WITH
        return Uses(frozenset(attributes), frozenset(called), tuple(dict.fromkeys(values)))

    def stands_for(self, module: Module, node: ast.expr) -> Sequence[Value]:
        """Return what a name that a module, class or def binds stands for, or an attribute of it."""
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            return self._of_name(module, node)
        if isinstance(node, ast.Attribute) and any(
            isinstance(value, (ModuleValue, Class)) for value in self.stands_for(module, node.value)
        ):
            frame = self.analysis.frame(module.scope_of(node))
            return [reached.value for reached in self.analysis.evaluate(node, frame)]
        return ()

    def _of_name(self, module: Module, node: ast.Name) -> Sequence[Value]:
        scope = module.scope_of(node)
        binder = scope.lookup(node.id)
        if binder is None and (node.id in _BUILTINS or "*" not in module.scope.bindings):
            return ()
        if binder is not None and not binder.is_module and not _defines(binder, node.id):
            return ()
        key = (binder or module.scope, node.id)
        if key not in self._names:
            found = self.analysis.evaluate(node, self.analysis.frame(scope))
            self._names[key] = [reached.value for reached in found]
        return self._names[key]

    def _use(self, value: Value, crossing: Crossing) -> None:
        """Take in what code in a worker names: what it may call, and the objects it calls them on."""
        if isinstance(value, Function):
            self._add(value.module, value.node, crossing)
        elif isinstance(value, BoundMethod):
            self._add(value.function.module, value.function.node, crossing)
            if isinstance(value.owner, Class):  # a class method may call others by `cls`
                self._meet_class(value.owner, crossing)
        elif isinstance(value, Partial):
            self._use(value.function, crossing)
        elif isinstance(value, Instance):
            self._meet_class(value.cls, crossing)
        elif isinstance(value, Class):
            self._meet_class(value, crossing)
            init = self.analysis.method(value, "__init__")
            if init is not None:
                self._add(init.module, init.node, crossing)

    def run_by(self, start: Iterable[ast.AST]) -> list[WorkerFunction]:
        """Return the worker's functions among some, and those that they name or call on their own objects."""
        found: dict[ast.AST, WorkerFunction] = {}
        waiting = [*start]
        while waiting:
            node = waiting.pop()
            if node in found or node not in self.functions:
                continue
            function = found[node] = self.functions[node]
            uses = self._uses.get(node)
            if uses is not None:
                made = [each.node for each in uses.values if isinstance(each, Class)]
                owner = function.module.parent(node)
                own = owner.body if isinstance(owner, ast.ClassDef) else []
                waiting += uses.functions
                waiting += (each for each in own if getattr(each, "name", "") in uses.called)
                waiting += (each for cls in made for each in cls.body)
        return [*found.values()]

    def leading_to(self, goals: Collection[ast.AST]) -> set[ast.AST]:
        """Return the functions whose calls, or reads of properties, may lead to one of these, these included."""
        found = set(goals)
        while found:
            names = {getattr(node, "name", "<lambda>") for node in found}
            read = {
                getattr(node, "name", "") for node in found if decorator_kind(node) in PROPERTIES
            }
            more = {
                node
                for node, uses in self._uses.items()
                if node not in found
                and not (
                    names.isdisjoint(uses.called)
                    and read.isdisjoint(uses.attributes)
                    and found.isdisjoint(uses.functions)
                )
            }
            if not more:
                break
            found |= more
        return found


@dataclass(frozen=True)
class Uses:
    """What the code of a function names."""

    attributes: frozenset[str]  # of whatever object
    called: frozenset[str]  # those of them that are called, and `__call__` where anything is
    values: tuple[Value, ...]  # by names that modules, classes and enclosing functions define

    @cached_property
    def functions(self) -> frozenset[ast.AST]:
        """The functions among the values, those they are bound from included."""
        return frozenset(_function_nodes(self.values))


def _crossings_of(analysis: Analysis, boundary: Boundary) -> Sequence[Crossing]:
    """Return what crosses one boundary."""
    known: dict[ast.AST, list[Crossing]] = analysis.once(
        "crossings by boundary", lambda: _by_boundary(analysis.crossings)
    )
    return known.get(boundary.node, ())


def _by_boundary(crossings: Iterable[Crossing]) -> dict[ast.AST, list[Crossing]]:
    found: dict[ast.AST, list[Crossing]] = {}
    for crossing in crossings:
        found.setdefault(crossing.boundary.node, []).append(crossing)
    return found


def _parts(module: Module, node: FunctionNode) -> Iterator[FunctionNode]:
    """Yield the functions that decorators make parts of one: `@area.register(int)`."""
    if isinstance(node, ast.Lambda) or not node.decorator_list:
        return
    for beside in getattr(module.parent(node), "body", ()):
        if isinstance(beside, (ast.FunctionDef, ast.AsyncFunctionDef)):
            used = (each for one in beside.decorator_list for each in walk(one))
            if any(isinstance(e, ast.Attribute) and _is_named(e.value, node.name) for e in used):
                yield beside


def _is_named(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _function_nodes(values: Iterable[Value]) -> Iterator[ast.AST]:
    for value in values:
        if isinstance(value, Function):
            yield value.node
        elif isinstance(value, BoundMethod):
            yield value.function.node
        elif isinstance(value, Partial):
            yield from _function_nodes((value.function,))


def _is_code(value: Value) -> bool:
    return isinstance(value, (Function, BoundMethod, Partial, Instance))


def _defines(scope: Scope, name: str) -> bool:
    return all(binding.kind in ("def", "class", "import") for binding in scope.bindings[name])


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
