"""Local classes that unpickling makes again, by a call of the function that made them: it makes the very same class.

What is not seen to be so is a reason against the fix: the function does nothing else, is passed what can be pickled and
never changes, and gives each process one class for the same arguments, on which nobody sets anything.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from dlfix.fixing.proof import class_settings, order
from dlfix.fixing.proof.asked_attributes import BARE
from dlfix.fixing.proof.asked_classes import asked, runs_once
from dlfix.fixing.proof.changes import ClassChange, Regression
from dlfix.fixing.proof.kept_class import Place, strays, uses_of
from dlfix.fixing.proof.program import Class, Program, whose_class
from dlfix.fixing.proof.syntax import Function, dotted, last_part, self_name, within
from dlfix.fixing.proof.writes import global_rebinding
from dlfix.project.import_time import ImportTime
from dlfix.project.module import Module
from dlfix.project.trees import said

_REDUCE, _GETSTATE = "__reduce__", "__getstate__"
# What decides otherwise how an object is pickled or copied, or what a class is made of.
_PROTOCOL = frozenset(
    "__reduce_ex__ __reduce__ __getnewargs__ __getnewargs_ex__ __copy__ __deepcopy__ __new__ __slots__ __dict__"
    " __class__ __getattr__ __getattribute__ __init_subclass__".split()
)
_PLAIN = frozenset({"staticmethod", "classmethod", "property"})
_OF_LIBRARY = "torchvision.datasets."  # plain classes that are pickled by their names
_BY_VALUE = ("cloudpickle", "dill", "joblib", "ray", "dask", "distributed", "submitit", "pyspark")
_READS = frozenset({"list", "sorted", "tuple", "set", "len"})  # what only reads the keys of a table


@dataclass(frozen=True)
class Factory:
    """A function that makes a local class, and the one that unpickling calls to have it made again."""

    node: ast.FunctionDef
    cls: ast.ClassDef
    maker: ast.FunctionDef

    @property
    def parameters(self) -> list[str]:
        """The names of what it takes."""
        return [each.arg for each in self.node.args.args]


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield why objects may not be made again as they were, where a class of a function gets a `__reduce__`."""
    maker = maker_of(change)
    if maker is None:
        return
    factory = _factory(change.after, maker)
    if factory is None:
        reason = f"`{maker.name}` (line {maker.lineno}) may make something else than `{change.after.name}` was"
        yield change.regression(maker, reason)
        return
    checked = _Checked(change.new, change.after, factory)
    for module, node, reason in checked.reasons():
        line = getattr(node, "lineno", 1)
        yield change.regression(change.after.node, f"{reason} ({module.path.name}:{line})")
        return
    line = checked.lineage
    yield from class_settings.of_parent(change, line, [*line], _run_by_workers(line))


def _run_by_workers(line: Sequence[Class]) -> list[Function]:
    """Return the methods of some classes that workers run, by their names."""
    names, found = {*order.IN_WORKERS}, list[Function]()
    while True:
        more = [(c, f) for c in line for f in c.functions if f.name in names and f not in found]
        if not more:
            return found
        found += [function for _, function in more]
        called = (name for each in more for name in order.called_on_self(*each))
        names |= {name.removeprefix("super ") for name in called}


def maker_of(change: ClassChange) -> ast.FunctionDef | None:
    """Return the function that a new `__reduce__` says to call, and that makes the object without its constructor."""
    reducing = change.after.methods.get(_REDUCE)
    if reducing is None or _REDUCE in change.before.methods:
        return None
    match reducing.body:
        case [ast.Return(value=ast.Tuple(elts=[ast.Name(id=name), *_]))]:
            found = change.new.bound(change.after.module, name)
            if found is not None and isinstance(found[1], ast.FunctionDef):
                return found[1]
    return None


def _factory(cls: Class, maker: ast.FunctionDef) -> Factory | None:
    """Return what a class is made by, if that is the function around it and unpickling calls just that."""
    module, node = cls.module, cls.module.parent(cls.node)
    if not isinstance(node, ast.FunctionDef) or {node, maker} - {*module.tree.body}:
        return None
    factory = Factory(node, cls.node, maker)
    names, given = factory.parameters, node.args
    others = [*given.posonlyargs, *given.kwonlyargs, given.vararg, given.kwarg, *given.defaults]
    if any(others) or said(maker.args) != said(given) or maker.decorator_list:
        return None
    arguments = ", ".join(names) + ("," if len(names) == 1 else "")
    states = ("self.__dict__", f"self.{_GETSTATE}()")
    reducing = cls.methods[_REDUCE]
    ways = [f"return {maker.name}, ({arguments}), {state}" for state in states]
    rest = [each for each in node.body if not _is_text(each)]
    first = maker.body[0]
    local = dotted(first.targets[0]) if isinstance(first, ast.Assign) else ""
    wanted = f"{local} = {node.name}({', '.join(names)})\nreturn {local}.__new__({local})"
    is_made = bool(local) and local not in names and _says(maker.body, wanted)
    is_returned = rest[:1] == [cls.node] and _says(rest[1:], f"return {cls.name}")
    if is_made and is_returned and any(_says(reducing.body, way) for way in ways):
        return factory
    return None


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _says(body: list[ast.stmt], text: str) -> bool:
    return [*map(said, body)] == [*map(said, ast.parse(text).body)]


class _Checked:
    """The questions that one factory is asked."""

    def __init__(self, program: Program, cls: Class, factory: Factory) -> None:
        self.program, self.cls, self.factory = program, cls, factory
        self.home = cls.module
        self.tables: dict[str, str] = {}  # by parameter: the table that it is a key of

    def reasons(self) -> Iterator[tuple[Module, ast.AST, str]]:
        """Yield what is not as it was, or not seen to be."""
        yield from self._made_once()
        yield from self._own_body()
        for base in self.cls.node.bases:
            yield from self._base(base)
        yield from self._calls()
        for cls in self.lineage:
            yield from self._of_lineage(cls)
        for name in self._unknown():
            yield self.home, self.cls.node, f"the base `{name}` is not known"
        yield from self._state()
        for module, call in [*self.calls, *self._items()]:
            for home, place in strays(self.program, module, call):
                yield home, place, f"`{self.cls.name}` is used other than to make and read objects"
        once = len(self.calls) == 1 and runs_once(self.program, *self.calls[0])
        yield from asked(self.program, self.lineage, shared=not once)
        yield from self._by_value()

    @cached_property
    def uses(self) -> list[Place]:
        """Where the function is named, but for the one that unpickling calls."""
        around = self.program.enclosing
        found = uses_of(self.program, self.home, self.factory.node.name)
        return [(m, node) for m, node in found if around(m, node) is not self.factory.maker]

    @cached_property
    def calls(self) -> list[tuple[Module, ast.Call]]:
        """The calls of the function."""
        return [
            (module, call)
            for module, node in self.uses
            if isinstance(call := module.parent(node), ast.Call) and call.func is node
        ]

    @cached_property
    def lineage(self) -> tuple[Class, ...]:
        """The class, and all that may be bases of it in the program."""
        bases = [cls for base in self.cls.node.bases for cls in self._candidates(base)]
        found = [self.cls, *(each for cls in bases for each in self.program.lineage(cls))]
        return tuple(dict.fromkeys(found))

    def _choices(self, base: ast.expr) -> list[Place]:
        """Return what a base may be: an item of a table, or what calls of the function pass."""
        names = self.factory.parameters
        match base:
            case ast.Name(id=name) if name in names:
                place = names.index(name)
                return [(m, call.args[place]) for m, call in self.calls if place < len(call.args)]
            case ast.Subscript(value=ast.Name(id=table), slice=ast.Name()):
                tables = self.program.assigned(self.home, table)
                dicts = [each for each in tables if isinstance(each, ast.Dict)]
                return [(self.home, item) for each in dicts for item in each.values]
        return [(self.home, base)]

    def _made_once(self) -> Iterator[tuple[Module, ast.AST, str]]:
        """Yield a function that does not give the same class for the same arguments, or that others replace."""
        node, name = self.factory.node, self.factory.node.name
        cached = [*map(ast.unparse, node.decorator_list)]
        is_kept = [each.endswith("lru_cache(maxsize=None)") for each in cached] == [True]
        imported = [each.func for each in node.decorator_list if isinstance(each, ast.Call)]
        names = [*map(ImportTime(self.home.tree).full_name, imported)]
        if not is_kept or names != ["functools.lru_cache"]:
            yield self.home, node, f"`{name}` makes a class for each call"
        rebound = global_rebinding(self.program, self.home, name)
        for place in [rebound] if rebound is not None else []:
            yield self.home, place, f"`{name}` is bound again or replaced"
        for module in self.program.project.mentions(name):
            for text in module.nodes(ast.Constant):
                if text.value == name and not isinstance(
                    module.parent(text), (ast.List, ast.Tuple)
                ):
                    yield module, text, f"`{name}` is looked up by its name"

    def _own_body(self) -> Iterator[tuple[Module, ast.AST, str]]:
        """Yield what the class statement does besides giving the class methods and constants."""
        names = set(self.factory.parameters)
        for node in (*self.cls.node.keywords, *self.cls.node.decorator_list):
            yield self.home, self.cls.node, f"`{ast.unparse(node)}` takes part in making the class"
        for member in self.cls.node.body:
            match member:
                case ast.FunctionDef(decorator_list=decorators, args=args):
                    given = [*args.defaults, *filter(None, args.kw_defaults)]
                    fixed = all(_is_fixed(each) or dotted(each) in names for each in given)
                    plain = fixed and all(dotted(each) in _PLAIN for each in decorators)
                case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value):
                    plain = _is_fixed(value)
                case _:
                    plain = isinstance(member, ast.Pass) or _is_text(member)
            if not plain or any(isinstance(each, ast.Nonlocal) for each in within(member)):
                yield self.home, member, "the class body has more than methods and constants"

    def _base(self, base: ast.expr) -> Iterator[tuple[Module, ast.AST, str]]:
        """Yield a base that is neither a class, nor what a call passes, nor what a table has for that."""
        names = self.factory.parameters
        match base:
            case ast.Name(id=name) if name in names:
                return
            case ast.Subscript(value=ast.Name(id=table), slice=ast.Name(id=key)) if key in names:
                self.tables[key] = table
                yield from self._table(table)
            case _ if not self._is_class(self.home, base):
                yield self.home, base, f"the base `{ast.unparse(base)}` is not known"

    def _table(self, name: str) -> Iterator[tuple[Module, ast.AST, str]]:
        """Yield what makes the table of a module another one in a worker."""
        made = [each for each in self.home.tree.body if _binds(each, name)]
        value = getattr(made[0], "value", None) if made else None
        keys = value.keys if isinstance(value, ast.Dict) else [None]
        texts = all(isinstance(k, ast.Constant) and isinstance(k.value, str) for k in keys)
        bound = global_rebinding(self.program, self.home, name)
        if not texts or bound is not None or not isinstance(value, ast.Dict):
            where = bound or self.factory.cls
            yield self.home, where, f"`{name}` is no table of texts and classes that stays as it is"
            return
        for item in value.values:
            if not self._is_class(self.home, item):
                yield self.home, item, f"`{ast.unparse(item)}` is not known to be a class"
        for module, node in uses_of(self.program, self.home, name):
            if not _only_reads(module, node) and module.parent(node) not in made:
                yield module, node, f"`{name}` may be changed"
        for module in self.program.project.mentions(name):
            for text in module.nodes(ast.Constant):
                if isinstance(text.value, str) and text.value.endswith(f".{name}"):
                    yield module, text, f"`{name}` may be replaced"

    def _items(self) -> Iterator[Place]:
        """Yield what code looks up in the tables."""
        for name in self.tables.values():
            for module, node in uses_of(self.program, self.home, name):
                above = module.parent(node)
                if isinstance(above, ast.Subscript) and above not in self.cls.node.bases:
                    yield module, above

    def _calls(self) -> Iterator[tuple[Module, ast.AST, str]]:
        """Yield calls that pass what cannot be pickled, may change, or is told apart by how it is passed."""
        name, names = self.factory.node.name, self.factory.parameters
        for module, node in self.uses:
            call = module.parent(node)
            plain = isinstance(call, ast.Call) and call.func is node and not call.keywords
            if not isinstance(call, ast.Call) or not plain or len(call.args) != len(names):
                yield (
                    module,
                    node,
                    f"`{name}` is used other than by a call with all arguments in their order",
                )
        for index, parameter in enumerate(names):
            kinds = set()
            for module, call in self.calls:
                given = call.args[index] if index < len(call.args) else call
                kinds.add(self._kind(module, given))
                if parameter not in self.tables and None in kinds:
                    yield module, given, f"`{parameter}` of `{name}` is no constant and no class"
            if parameter not in self.tables and len(kinds - {type(None)}) > 1:
                yield self.home, self.factory.node, f"`{parameter}` is of several types"
        if not self.calls:
            yield self.home, self.factory.node, f"no call of `{name}` is known"

    def _kind(self, module: Module, given: ast.expr) -> type | None:
        """Return the type of a constant; `type` for a class that is found by its name."""
        value = given.operand if isinstance(given, ast.UnaryOp) else given  # -1
        if isinstance(value, ast.Constant) and isinstance(value.value, (str, int, type(None))):
            return type(value.value)
        return type if self._is_class(module, given) else None

    def _is_class(self, module: Module, node: ast.expr) -> bool:
        """Return whether an expression names a class that each process has by that name, and nobody binds again."""
        root = node
        while isinstance(root, ast.Attribute):
            root = root.value
        scope = module.scope_of(root).lookup(root.id) if isinstance(root, ast.Name) else None
        if scope is None:
            return dotted(node) == "object"
        if not scope.is_module or len(scope.bindings.get(dotted(root), ())) != 1:
            return False
        cls = self.program.class_of(module, node)
        if cls is None:
            full = ImportTime(module.tree).full_name(node)
            is_bare = last_part(node) in BARE or full.startswith(_OF_LIBRARY)
            if is_bare and self.program.is_of_library(module, node):
                self._of_library.add(last_part(node))
                return True
            return False
        return (
            cls.node in cls.module.tree.body
            and len(cls.module.scope.bindings[cls.name]) == 1
            and global_rebinding(self.program, cls.module, cls.name) is None
        )

    @cached_property
    def _of_library(self) -> set[str]:
        """The names of bases of libraries that are known."""
        return set()

    def _of_lineage(self, cls: Class) -> Iterator[tuple[Module, ast.AST, str]]:
        """Yield what makes objects of a class, or of its base, otherwise than by their attributes."""
        members = {*cls.methods, *cls.values} - ({_REDUCE} if cls is self.cls else set())
        for name in sorted(members & _PROTOCOL):
            yield cls.module, cls.node, f"`{cls.name}` has `{name}`"
        if cls.node.keywords or cls.node.decorator_list:
            yield cls.module, cls.node, f"`{cls.name}` has a metaclass or a decorator"
        for method in cls.functions:
            of_class = {last_part(each) for each in method.decorator_list} & {"classmethod"}
            for node in within(method.body):
                if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
                    own = bool(of_class) and dotted(node.value) == self_name(method)
                    if own or whose_class(node.value) is not None or node.attr == "__class__":
                        yield cls.module, node, f"`{method.name}` sets `{node.attr}` on the class"

    def _unknown(self) -> Iterator[str]:
        """Yield the bases outside the program of which it is not known how their objects are pickled."""
        for base in self.cls.node.bases:
            for module, chosen in self._choices(base):
                cls = self.program.class_of(module, chosen)
                found = self.program.unknown_bases(cls) if cls is not None else [last_part(chosen)]
                yield from sorted({*found} - BARE - self._of_library)

    def _state(self) -> Iterator[tuple[Module, ast.AST, str]]:
        """Yield where the state is not what pickle takes of an object, and gives it back."""
        line = self.lineage
        some = any(_GETSTATE in each.methods for each in line)
        surely = _GETSTATE in self.cls.methods or any(
            all(
                _GETSTATE in {n for c in self.program.lineage(one) for n in c.methods}
                for one in found
            )
            for base in self.cls.node.bases
            if len(found := self._candidates(base)) == len(self._choices(base)) > 0
        )
        asks = f"self.{_GETSTATE}()" in ast.unparse(self.cls.methods[_REDUCE])
        restores = any("__setstate__" in each.methods for each in line)
        given = any(n in each.values for each in line for n in (_GETSTATE, "__setstate__"))
        if some != surely or asks != some or (restores and not some) or given:
            yield self.home, self.cls.node, f"the state of `{self.cls.name}` is not sent as it was"

    def _by_value(self) -> Iterator[tuple[Module, ast.AST, str]]:
        """Yield an import of a library that pickles classes by value, which it cannot do with a cached function."""
        for name in _BY_VALUE:
            for module in self.program.project.mentions(name):
                found = [(n, alias.name) for n in module.nodes(ast.Import) for alias in n.names]
                origins = [(n, n.module or "") for n in module.nodes(ast.ImportFrom)]
                for node, origin in (*found, *origins):
                    if origin.partition(".")[0] == name:
                        yield module, node, f"`{name}` pickles local classes by value"

    def _candidates(self, base: ast.expr) -> list[Class]:
        """Return the classes of the program that a base may be."""
        found = [self.program.class_of(*each) for each in self._choices(base)]
        return [each for each in found if each is not None]


def _is_fixed(node: ast.expr) -> bool:
    """Return whether a value is a constant, also a negative number or a tuple of some."""
    if isinstance(node, ast.UnaryOp):
        return _is_fixed(node.operand)
    if isinstance(node, ast.Tuple):
        return all(map(_is_fixed, node.elts))
    return isinstance(node, ast.Constant)


def _binds(node: ast.stmt, name: str) -> bool:
    targets = [node.target] if isinstance(node, ast.AnnAssign) else getattr(node, "targets", ())
    return isinstance(node, (ast.Assign, ast.AnnAssign)) and [*map(dotted, targets)] == [name]


def _only_reads(module: Module, node: ast.expr) -> bool:
    """Return whether a use of a table takes an item, or asks for its keys."""
    above = module.parent(node)
    match above:
        case ast.Subscript(ctx=ast.Load()):
            return above.value is node
        case ast.Compare(ops=[ast.In() | ast.NotIn()]):
            return above.left is not node
        case ast.Call(func=ast.Name(id=name)):
            return name in _READS
        case ast.Attribute(attr="keys"):
            return isinstance(module.parent(above), ast.Call)
        case ast.For() | ast.comprehension():
            return above.iter is node
    return False


__all__ = ["check", "maker_of"]
