"""What the proof asks of a whole program: which class is meant, who derives from it, who makes one."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, TypeVar, cast

from dlfix.fixing.proof.makers import made_through
from dlfix.fixing.proof.syntax import (
    FUNCTIONS,
    Function,
    calls_in,
    dotted,
    executed,
    last_part,
    parameters,
    self_name,
    strings,
)
from dlfix.project.holding import ANYWHERE, Holding, Passing
from dlfix.project.import_time import ImportTime
from dlfix.project.trees import children

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.project.project import Project

_MOST_MODULES = 60  # that are read to see where objects of one class go
_GETSTATE = "__getstate__"
_HOOK = "__init_subclass__"
_FAR = 6  # how many imports or assignments a name is followed through
_LAZY = frozenset({"property", "cached_property", "lazyproperty", "reify", "lazy_property"})
NO_STATE = frozenset(
    "object Dataset IterableDataset Generic ABC Protocol Iterator Iterable Sequence Mapping"
    " Callable Sampler Collection Sized Container".split()
)


T = TypeVar("T")
Shown: TypeAlias = "tuple[Module, ast.expr, ast.expr]"


class Class:
    """A class statement, and its own members."""

    def __init__(self, module: Module, node: ast.ClassDef, qualname: str) -> None:
        self.module, self.node, self.qualname = module, node, qualname
        self.name = node.name

    @cached_property
    def functions(self) -> list[Function]:
        """The methods, accessors of one property each for itself."""
        found = (node for node in _unconditional(self.node.body) if isinstance(node, FUNCTIONS))
        return [self._as_called(each) for each in found]

    def _as_called(self, function: Function) -> Function:
        """Return a method by the name that pickle knows, where the class gives it that and nothing else uses another."""
        value = self.values.get(_GETSTATE)
        if not isinstance(value, ast.Name) or value.id != function.name:
            return function
        if function.decorator_list or self.module.nodes_by_name[value.id] != [value]:
            return function
        renamed = copy.copy(function)
        renamed.name = _GETSTATE
        return renamed

    @cached_property
    def methods(self) -> dict[str, Function]:
        """The methods by name, setters and deleters of properties left out."""
        return {f.name: f for f in self.functions if not _writes(f)}

    @cached_property
    def getters(self) -> dict[str, Function]:
        """The properties, cached or not."""
        return {name: f for name, f in self.methods.items() if is_getter(f)}

    @cached_property
    def setters(self) -> dict[str, Function]:
        """The setters of properties."""
        return {f.name: f for f in self.functions if _writes(f) and not _deletes(f)}

    @cached_property
    def values(self) -> dict[str, ast.expr]:
        """The class attributes that are assigned."""
        found: dict[str, ast.expr] = {}
        for node in _unconditional(self.node.body):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    found.update(
                        {n.id: node.value for n in ast.walk(target) if isinstance(n, ast.Name)}
                    )
            elif (
                isinstance(node, ast.AnnAssign) and node.value and isinstance(node.target, ast.Name)
            ):
                found[node.target.id] = node.value
        return found

    @cached_property
    def annotated(self) -> dict[str, ast.AnnAssign]:
        """The attributes that the class body annotates."""
        return {
            node.target.id: node
            for node in self.node.body
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
        }

    @cached_property
    def decorators(self) -> list[str]:
        """The last names of the class's decorators."""
        return [
            last_part(d.func if isinstance(d, ast.Call) else d) for d in self.node.decorator_list
        ]

    @cached_property
    def slots(self) -> set[str] | None:
        """What `__slots__` lists, None without it."""
        value = self.values.get("__slots__")
        if value is None:
            return None
        return {str(c.value) for c in ast.walk(value) if isinstance(c, ast.Constant)}

    def __repr__(self) -> str:
        return f"Class({self.qualname})"


def _unconditional(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    for node in body:
        yield node
        if isinstance(node, (ast.If, ast.Try)):
            yield from _unconditional(node.body)
            yield from _unconditional(node.orelse)


def is_getter(function: Function) -> bool:
    """Return whether a method is the reading half of a property."""
    return any(last_part(d) in _LAZY for d in function.decorator_list)


def is_cached(function: Function) -> bool:
    """Return whether a property keeps its value in the instance's `__dict__`."""
    return any("cached" in last_part(d) or last_part(d) == "reify" for d in function.decorator_list)


def _deletes(function: Function) -> bool:
    return any(last_part(d) == "deleter" for d in function.decorator_list)


def _writes(function: Function) -> bool:
    return any(
        isinstance(d, ast.Attribute) and d.attr in {"setter", "deleter"}
        for d in function.decorator_list
    )


def _whose(module: Module, node: ast.Name | ast.Attribute) -> ast.expr | None:
    """Return the object that `object.__dict__` or `vars(object)` shows."""
    if isinstance(node, ast.Attribute) and node.attr == "__dict__":
        return node.value
    call = module.parent(node)
    is_called = isinstance(call, ast.Call) and call.func is node
    return call.args[0] if isinstance(call, ast.Call) and is_called and call.args else None


class Named(NamedTuple):
    """The calls by one name: those known to be of certain functions, and those that may be of any of that name."""

    of: dict[Function, list[tuple[Module, ast.Call]]]
    of_any: list[tuple[Module, ast.Call]]


class Program:
    """One state of a project: the texts before a rewrite, or those after."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._classes: dict[Module, list[Class]] = {}
        self._of_nodes: dict[Module, dict[ast.ClassDef, Class]] = {}
        self._binders: dict[Module, dict[str, list[tuple[int, ast.stmt]]]] = {}
        self._made_through: dict[ast.ClassDef, list[tuple[Module, ast.Call]]] = {}
        self._named: dict[str, Named] = {}
        self._related: dict[tuple[Class, str], tuple[Function, ...] | None] = {}
        self._around: dict[Class, list[Function] | None] = {}
        self._spelled: dict[tuple[Module, str, int], tuple[Module, ast.AST] | None] = {}
        self._lineages: dict[Class, tuple[Class, ...]] = {}
        self._given: dict[Class, frozenset[str]] = {}
        self._heirs: dict[Class, tuple[Class, ...]] = {}
        self._direct: dict[Module, dict[Class, list[Class]]] = {}
        self._bindings: dict[ast.AST, list[ast.AST]] = {}
        self._names: dict[tuple[Module, str, int], tuple[Module, ast.AST] | None] = {}
        self._shown: dict[str, list[Shown]] = {}
        self._answers: dict[object, list[object]] = {}
        self._kept: dict[object, object] = {}

    def once(self, asked: Callable[[Program], Iterator[T]]) -> list[T]:
        """Return all that a question gives of this program, which is asked it only once."""
        if asked not in self._answers:
            self._answers[asked] = list(asked(self))
        return cast("list[T]", self._answers[asked])

    def kept(self, made: Callable[[Program], T]) -> T:
        """Return what is made of this program, once."""
        if made not in self._kept:
            self._kept[made] = made(self)
        return cast("T", self._kept[made])

    def classes(self, module: Module) -> list[Class]:
        """Return a module's classes, wherever they stand in it."""
        if module not in self._classes:
            holding = {above for each in module.classes for above in module.ancestors(each)}
            self._classes[module] = list(_classes(module, module.tree, "", holding))
        return self._classes[module]

    def _by_node(self, module: Module) -> dict[ast.ClassDef, Class]:
        if module not in self._of_nodes:
            self._of_nodes[module] = {each.node: each for each in self.classes(module)}
        return self._of_nodes[module]

    def class_at(self, module: Module, node: ast.AST | None) -> Class | None:
        """Return the class that a statement of a module defines."""
        return self._by_node(module).get(node) if isinstance(node, ast.ClassDef) else None

    # Names

    def resolve(
        self, module: Module, node: ast.AST, far: int = _FAR
    ) -> tuple[Module, ast.AST] | None:
        """Return the function or class of the project that a name or an attribute stands for."""
        return self.spelled(module, dotted(node), far)

    def spelled(self, module: Module, name: str, far: int = _FAR) -> tuple[Module, ast.AST] | None:
        """Return the function or class of the project that a name with dots stands for in a module."""
        if not name or far == 0:
            return None
        key = module, name, far
        if key not in self._spelled:
            first, _, rest = name.partition(".")
            found = self._bound(module, first, far)
            if found is not None and rest:
                found = self._member(found, rest, far)
            elif found is not None and isinstance(found[1], ast.Module):
                found = None
            self._spelled[key] = found
        return self._spelled[key]

    def _member(
        self, owner: tuple[Module, ast.AST], rest: str, far: int
    ) -> tuple[Module, ast.AST] | None:
        module, node = owner
        name, _, more = rest.partition(".")
        if isinstance(node, ast.Module):
            found = self._bound(module, name, far - 1)
        elif isinstance(node, ast.ClassDef):
            found = next(((module, n) for n in node.body if getattr(n, "name", "") == name), None)
        else:
            return None
        return self._member(found, more, far) if found is not None and more else found

    def bound(self, module: Module, name: str) -> tuple[Module, ast.AST] | None:
        """Return the function, class or module that a name of a module stands for."""
        return self._bound(module, name, _FAR)

    def _bound(self, module: Module, name: str, far: int) -> tuple[Module, ast.AST] | None:
        key = (module, name, far)
        if key not in self._names:
            self._names[key] = self._binding(module, name, far)
        return self._names[key]

    def _binding(self, module: Module, name: str, far: int) -> tuple[Module, ast.AST] | None:
        for node in self._binding_of(module, name):
            if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
                return module, node
            if isinstance(node, ast.ImportFrom):
                found = self._imported_from(module, node, name, far)
            elif isinstance(node, ast.Import):
                found = self._imported(module, node, name)
            elif isinstance(node, ast.Assign):
                found = self.resolve(module, node.value, far - 1)
            else:
                continue
            if found is not None:
                return found
        return next(((module, c.node) for c in self.classes(module) if c.name == name), None)

    def _binding_of(self, module: Module, name: str) -> list[ast.stmt]:
        """Return the statements of a module that may bind a name, in order."""
        if module not in self._binders:
            binders: dict[str, list[tuple[int, ast.stmt]]] = {}
            for number, node in enumerate(_unconditional(module.tree.body)):
                for bound in _bound_by(node):
                    binders.setdefault(bound, []).append((number, node))
            self._binders[module] = binders
        known = self._binders[module]
        return [node for _, node in sorted([*known.get(name, ()), *known.get("*", ())], key=_first)]

    def _imported_from(
        self, module: Module, node: ast.ImportFrom, name: str, far: int
    ) -> tuple[Module, ast.AST] | None:
        if far == 0:
            return None
        origin = self._origin(module, node)
        for alias in node.names:
            if (alias.asname or alias.name) == name:
                source = self.project.find(origin, module)
                found = self._bound(source, alias.name, far - 1) if source is not None else None
                if found is not None:
                    return found
                inner = self.project.find(f"{origin}.{alias.name}", module)
                return (inner, inner.tree) if inner is not None else None
            if alias.name == "*":
                source = self.project.find(origin, module)
                if source is not None and source.exports(name):
                    return self._bound(source, name, far - 1)
        return None

    def _imported(
        self, module: Module, node: ast.Import, name: str
    ) -> tuple[Module, ast.AST] | None:
        for alias in node.names:
            if (alias.asname or alias.name) == name:
                source = self.project.find(alias.name, module)
                return (source, source.tree) if source is not None else None
        return None

    def assigned(self, module: Module, name: str, far: int = _FAR) -> Iterator[ast.expr]:
        """Yield what a module binds a name to by assignments, its own or those of a module it imports the name from."""
        for node in self._binding_of(module, name):
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
                yield node.value
            elif isinstance(node, ast.ImportFrom) and far:
                source = self.project.find(self._origin(module, node), module)
                for alias in node.names:
                    if source is not None and (alias.asname or alias.name) == name:
                        yield from self.assigned(source, alias.name, far - 1)

    def _origin(self, module: Module, node: ast.ImportFrom) -> str:
        """Return the full name of the module that a statement imports from."""
        if node.level:
            return self.project.relative(module, node.level, node.module)
        return node.module or ""

    def class_of(self, module: Module, node: ast.AST) -> Class | None:
        """Return the class of the project that an expression names."""
        if isinstance(node, ast.Subscript):
            node = node.value
        found = self.resolve(module, node)
        if found is None or not isinstance(found[1], ast.ClassDef):
            return None
        return self._by_node(found[0]).get(found[1])

    def function_of(self, module: Module, node: ast.AST) -> tuple[Module, Function] | None:
        """Return the function of the project that an expression names."""
        found = self.resolve(module, node)
        if found is None or not isinstance(found[1], FUNCTIONS):
            return None
        return found[0], found[1]

    # Classes

    def lineage(self, cls: Class) -> tuple[Class, ...]:
        """Return a class and its bases in the project, nearest first."""
        if cls not in self._lineages:
            found: dict[Class, None] = {}
            pending = [cls]
            while pending:
                one = pending.pop()
                if one not in found:
                    found[one] = None
                    pending += reversed(self._bases(one))
            self._lineages[cls] = tuple(found)
        return self._lineages[cls]

    def _bases(self, cls: Class) -> list[Class]:
        bases = (self.class_of(cls.module, base) for base in cls.node.bases)
        return [base for base in bases if base is not None]

    def unknown_bases(self, cls: Class) -> list[str]:
        """Return the bases outside the project, of a class and of its bases."""
        return [
            last_part(base.value if isinstance(base, ast.Subscript) else base)
            for each in self.lineage(cls)
            for base in each.node.bases
            if self.class_of(each.module, base) is None
        ]

    def heirs(self, cls: Class) -> tuple[Class, ...]:
        """Return the classes that derive from one, near and far."""
        if cls not in self._heirs:
            found = {cls: None}
            for one in (pending := [cls]):
                for module in self.project.mentions(one.name):
                    more = [each for each in self._deriving(module, one) if each not in found]
                    found.update(dict.fromkeys(more))
                    pending += more
            self._heirs[cls] = tuple(found)[1:]
        return self._heirs[cls]

    def _deriving(self, module: Module, cls: Class) -> list[Class]:
        """Return the classes of a module that name a class as their base."""
        if module not in self._direct:
            direct: dict[Class, list[Class]] = {}
            for each in self.classes(module):
                for base in dict.fromkeys(self._bases(each)):
                    direct.setdefault(base, []).append(each)
            self._direct[module] = direct
        return self._direct[module].get(cls, [])

    def family(self, cls: Class) -> list[Class]:
        """Return a class, its bases, its subclasses, and their other bases."""
        found = dict.fromkeys(self.lineage(cls))
        for heir in self.heirs(cls):
            found.update(dict.fromkeys(self.lineage(heir)))
        return list(found)

    def method(self, cls: Class, name: str) -> tuple[Class, Function] | None:
        """Return the method of a name that objects of a class have."""
        for each in self.lineage(cls):
            if name in each.methods:
                return each, each.methods[name]
        return None

    def constructions(self, cls: Class) -> Iterator[tuple[Module, ast.Call]]:
        """Yield the calls that make objects of a class or of one that derives from it, by whatever name."""
        family = (cls, *self.heirs(cls))
        for made in family:
            for module in self.project.mentions(made.name):
                names = {made.name, *module.aliases_of(made.name)}
                for name in names:
                    for call in module.calls_by_name.get(name, ()):
                        if self.class_of(module, call.func) in (made, None):
                            yield module, call
            yield from self._by_type(made)
            for method in made.functions:
                if any(last_part(d) == "classmethod" for d in method.decorator_list):
                    owner = self_name(method)
                    for call in calls_in(method.body):
                        if dotted(call.func) == owner:
                            yield made.module, call
        for made in family:  # last, as it costs most: some who ask have seen enough by then
            yield from self.made_through(made)

    def _by_type(self, cls: Class) -> Iterator[tuple[Module, ast.Call]]:
        """Yield the calls of the class of an object: `type(rows)(path)`, `self.__class__(path)`."""
        for module in self.project.mentions(cls.name):
            for call in module.calls:
                held = whose_class(call.func)
                if held is None:
                    continue
                owner = next(
                    (a for a in module.ancestors(call) if isinstance(a, ast.ClassDef)), None
                )
                made = [
                    each.value.func
                    for each in self.bindings_around(module, call)
                    if isinstance(each, ast.Assign)
                    and isinstance(each.value, ast.Call)
                    and any(dotted(target) == dotted(held) for target in each.targets)
                ]
                own = owner is cls.node and dotted(held) in ("self", "cls")
                if own or any(self.class_of(module, each) is cls for each in made):
                    yield module, call

    def made_through(self, cls: Class) -> list[tuple[Module, ast.Call]]:
        """Return the calls of a variable, parameter or registry that may hold a class."""
        if cls.node not in self._made_through:
            hooks = {
                base.methods[_HOOK]: base.module
                for base in self.lineage(cls)[1:]
                if _HOOK in base.methods
            }
            found = made_through(self.project, cls.module, cls.node, hooks)
            self._made_through[cls.node] = list(found)
        return self._made_through[cls.node]

    def calls_of(self, function: Function) -> list[tuple[Module, ast.Call]]:
        """Return the calls that may be of a function: by its name, where that is not known to be another's."""
        named = self.named(function.name)
        return [*named.of.get(function, ()), *named.of_any]

    def named(self, name: str) -> Named:
        """Return the calls by a name, with the functions that they are known to be of."""
        if name not in self._named:
            self._named[name] = self._calls_named(name)
        return self._named[name]

    def _calls_named(self, name: str) -> Named:
        found = Named({}, [])
        for module in self.project.mentions(name):
            for call in module.calls_by_name.get(name, ()):
                functions = self._functions_of(module, call, name)
                if functions is None:
                    found.of_any.append((module, call))
                for function in functions or ():
                    found.of.setdefault(function, []).append((module, call))
        return found

    def _functions_of(
        self, module: Module, call: ast.Call, name: str
    ) -> Collection[Function] | None:
        """Return the functions a call by a name may be of: through `self` and `super()` only those of their classes; None for any."""
        found = self.resolve(module, call.func)
        if found is not None:
            return [found[1]] if isinstance(found[1], FUNCTIONS) else []
        match call.func:
            case ast.Attribute(value=ast.Call(func=ast.Name(id="super"))):
                known = self._by_node(module)
                nodes = (a for a in module.ancestors(call) if isinstance(a, ast.ClassDef))
                cls = next((known.get(each) for each in nodes), None)
            case ast.Attribute(value=ast.Name(id=first)) if self._is_module_of_library(
                module, call, first
            ):
                return None if self._is_replaced(module, call.func) else ()
            case ast.Attribute(value=held):
                cls = self.class_of_self(module, held)
            case _:
                return None
        return self._related_functions(cls, name) if cls is not None else None

    def is_of_library(self, module: Module, node: ast.expr) -> bool:
        """Return whether an expression is a name, or an attribute of one, that is imported from no file of the project."""
        root = node
        while isinstance(root, ast.Attribute):
            root = root.value
        scope = module.scope_of(root).lookup(root.id) if isinstance(root, ast.Name) else None
        if scope is None or not isinstance(root, ast.Name):
            return False
        bindings = scope.bindings.get(root.id, [])
        return bool(bindings) and all(
            each.kind == "import" and self.is_from_library(module, each.statement)
            for each in bindings
        )

    def is_from_library(self, module: Module, statement: ast.AST) -> bool:
        """Return whether a statement imports from no file of the project."""
        match statement:
            case ast.ImportFrom(level=0, module=str() as origin):
                return self.project.find(origin, module) in (None, module)
            case ast.Import(names=names):
                return all(self.project.find(each.name, module) in (None, module) for each in names)
        return False

    def _is_module_of_library(self, module: Module, node: ast.AST, name: str) -> bool:
        """Return whether a name stands for a module that is no file of the project: `subprocess` in `subprocess.run()`."""
        owner = module.scope_of(node).lookup(name)
        bound = [each.node for each in owner.bindings.get(name, ())] if owner is not None else []
        return bool(bound) and all(
            isinstance(alias, ast.alias)
            and isinstance(module.parent(alias), ast.Import)
            and not self.project.contains(alias.name.partition(".")[0], module)
            for alias in bound
        )

    def _is_replaced(self, module: Module, func: ast.Attribute) -> bool:
        """Return whether code gives a library another function by a name: `subprocess.run = logged`."""
        wanted = ImportTime(module.tree).full_name(func)
        return any(
            ImportTime(other.tree).full_name(node) == wanted
            for other in self.project.setters(func.attr)
            for node in other.stores_by_name.get(func.attr, ())
        )

    def _related_functions(self, cls: Class, name: str) -> tuple[Function, ...] | None:
        """Return the functions of a name that an object of a class, or of an heir, may have; None for any."""
        if (cls, name) not in self._related:
            functions = self._functions_around(cls)
            self._related[cls, name] = (
                tuple(each for each in functions if each.name == name)
                if functions is not None
                else None
            )
        return self._related[cls, name]

    def _functions_around(self, cls: Class) -> list[Function] | None:
        if cls not in self._around:
            related = dict.fromkeys(
                each for one in (cls, *self.heirs(cls)) for each in self.lineage(one)
            )
            bases = {base for each in related for base in self.unknown_bases(each)}
            functions = [one for each in related for one in each.functions]
            self._around[cls] = None if bases - NO_STATE else functions
        return self._around[cls]

    def given_names(self, cls: Class) -> frozenset[str]:
        """Return the names that objects of a class come to from where they are made; none where nothing is in view."""
        if cls not in self._given:
            self._given[cls] = frozenset(self._names_of(self.constructions(cls)))
        return self._given[cls]

    def _names_of(self, calls: Iterable[tuple[Module, ast.Call]]) -> set[str]:
        """Return the names that what some calls give comes to, in all modules that mention one."""
        made: list[tuple[Module, ast.Call]] = []
        modules: dict[Module, None] = {}
        for home, call in calls:
            made.append((home, call))
            modules[home] = None
            if len(modules) > _MOST_MODULES:
                return {ANYWHERE}
        while made and len(modules) <= _MOST_MODULES:
            passing = Passing(list(modules), scoped=True)
            holding = Holding(passing, self._is_too_common)
            for home, call in made:
                holding.of(home, call)
                if holding.is_anywhere:
                    break
            if holding.is_anywhere:
                break
            more = {m: None for name in holding.names for m in self.project.mentions(name)}
            more |= {
                m: None
                for name in passing.unseen
                for m in self.project.mentions(name)
                if m.functions_by_name.get(name)
            }
            if modules.keys() >= more.keys():
                return holding.names
            modules |= more
        return {ANYWHERE} if made else set()

    def _is_too_common(self, name: str) -> bool:
        """Return whether more modules mention a name than are read: where it goes is not seen then."""
        return len(self.project.mentions(name)) > _MOST_MODULES

    def class_of_self(self, module: Module, node: ast.AST) -> Class | None:
        """Return the class whose method has an expression as its object: `self`, or what it is named there."""
        functions = (each for each in module.ancestors(node) if isinstance(each, FUNCTIONS))
        method = next((each for each in functions if dotted(node) in parameters(each)), None)
        owner = module.parent(method) if method is not None else None
        if (
            method is None
            or not isinstance(owner, ast.ClassDef)
            or dotted(node) != self_name(method)
        ):
            return None
        if any(last_part(each) == "staticmethod" for each in method.decorator_list):
            return None
        return self._by_node(module).get(owner)

    def enclosing(self, module: Module, node: ast.AST) -> Function | None:
        """Return the function a node stands in."""
        return next((a for a in module.ancestors(node) if isinstance(a, FUNCTIONS)), None)

    def runs_later(self, module: Module, node: ast.AST) -> bool:
        """Return whether a node runs in a function or under the main guard: not where a worker imports the module."""
        tests = (each.test for each in module.ancestors(node) if isinstance(each, ast.If))
        is_guarded = any("__main__" in strings(test) for test in tests)
        return is_guarded or self.enclosing(module, node) is not None

    def shown(self, word: str) -> list[Shown]:
        """Return where all attributes or fields of an object are read by a word, its own methods left out."""
        if word not in self._shown:
            self._shown[word] = list(self._showing(word))
        return self._shown[word]

    def _showing(self, word: str) -> Iterator[Shown]:
        for module in self.project.mentions(word):
            for node in module.nodes_by_name.get(word, ()):
                held = _whose(module, node)
                if held is not None and not self._is_self(module, held):
                    yield module, node, held
        for module in self.project.mentions("getattr"):
            for call in module.calls_by_name.get("getattr", ()):
                match call.args:
                    case [held, ast.Constant(value=asked), *_] if asked == word:
                        if not self._is_self(module, held):
                            yield module, call, held

    def _is_self(self, module: Module, node: ast.expr) -> bool:
        """Return whether a node is the object of the method that it stands in, or one compared with it."""
        method = self.enclosing(module, node)
        if method is None or not isinstance(module.parent(method), ast.ClassDef):
            return False
        if any(last_part(d) == "staticmethod" for d in method.decorator_list):
            return False
        compared = method.name in _COMPARISONS and [dotted(node)] == parameters(method)[1:2]
        return compared or dotted(node) == self_name(method)

    def bindings_around(self, module: Module, node: ast.AST) -> list[ast.AST]:
        """Return what binds names in that body, in the order of `executed`."""
        body = self.enclosing(module, node) or module.tree
        if body not in self._bindings:
            around = executed(self.body_around(module, node))
            self._bindings[body] = [each for each in around if isinstance(each, _BINDING)]
        return self._bindings[body]

    def body_around(self, module: Module, node: ast.AST) -> list[ast.stmt]:
        """Return the body of the function a node stands in, or of the module."""
        function = self.enclosing(module, node)
        return function.body if function is not None else module.tree.body


def whose_class(node: ast.expr) -> ast.expr | None:
    """Return the object of which an expression is the class."""
    match node:
        case (
            ast.Call(func=ast.Name(id="type"), args=[held])
            | ast.Attribute(value=held, attr="__class__")
        ):
            return held
    return None


def _first(item: tuple[int, ast.stmt]) -> int:
    return item[0]


def _bound_by(node: ast.stmt) -> set[str]:
    """Return the names that a statement binds; `*` where these are not written."""
    if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
        return {node.name}
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return {alias.asname or alias.name for alias in node.names}
    return {dotted(target) for target in node.targets} if isinstance(node, ast.Assign) else set()


_COMPARISONS = {"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"}  # with one of its kind

_BINDING = (ast.Assign, ast.AnnAssign, ast.For, ast.comprehension, ast.withitem)


def _classes(
    module: Module, node: ast.AST, prefix: str, holding: Collection[ast.AST]
) -> Iterator[Class]:
    for child in children(node):
        if isinstance(child, ast.ClassDef):
            yield Class(module, child, prefix + child.name)
        if child not in holding:
            continue
        name = f"{child.name}." if isinstance(child, (ast.ClassDef, *FUNCTIONS)) else ""
        yield from _classes(module, child, prefix + name, holding)
