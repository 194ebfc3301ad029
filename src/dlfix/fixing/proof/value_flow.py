"""Where a function's value goes: by which names code of the project could ask something of it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from dlfix.fixing.proof.changes import attributes_set
from dlfix.fixing.proof.program import Class, Program
from dlfix.fixing.proof.syntax import FUNCTIONS, last_part, stored_names, within
from dlfix.fixing.proof.writes import goes_by, may_be
from dlfix.project.import_time import ImportTime
from dlfix.project.module import Module
from dlfix.project.order import comes_before
from dlfix.project.syntax import attributes_of, defaults

# Modules whose calls give something that holds the function, or ask it themselves.
_PASSES_ON = frozenset(
    {"functools", "inspect", "builtins", "types", "operator", "itertools", "toolz"}
)
_HOLDERS = (ast.List, ast.Tuple, ast.Starred, ast.BinOp, ast.BoolOp)
# What a list or dict that holds the function gives, and with it the function.
_OF_HOLDERS = frozenset(name for kind in (list, tuple, set, dict) for name in dir(kind))
# Builtin functions that show nothing of what they are given, and those that give it, or its items.
_TESTS = frozenset({"isinstance", "len", "callable"})
_ITERATORS = frozenset({"enumerate", "zip", "reversed", "list", "tuple", "iter"})
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_MOST = 200  # places that one value is followed to

Place = tuple[Module, ast.AST]


def known_as(program: Program, module: Module, functions: Iterable[ast.AST]) -> set[str] | None:
    """Return the names by which code could come to some functions; None where it could be any name."""
    found: set[str] = set()
    for function in functions:
        flow = _Flow(program)
        if not flow.start(module, function) or not flow.run():
            return None
        found |= flow.names
    return found


def places_of(program: Program, module: Module, made: ast.expr) -> list[Place] | None:
    """Return the expressions that may give what one of them makes; None where it goes on unseen."""
    flow = _Flow(program)
    flow.add(module, made)
    return flow.places if flow.run() else None


def is_about(module: Module, node: ast.AST, names: set[str] | None) -> bool:
    """Return whether what a node asks may be asked of something that goes by one of some names."""
    if names is None:
        return True
    asked: ast.AST = node
    for above in module.ancestors(node):
        if isinstance(above, (ast.stmt, ast.Lambda)):
            break
        asked = above
        if isinstance(above, (ast.Call, ast.Compare)):
            break
    words = {last_part(n) for n in within(asked) if isinstance(n, (ast.Name, ast.Attribute))}
    return not words.isdisjoint(names)


def is_of_decorated(program: Program, module: Module, node: ast.AST) -> bool:
    """Return whether what a node asks is asked of what a decorator stands over, and of nothing else.

    That is a parameter of a function that the project uses as a decorator only, or that such a one returns.
    """
    asked = node.value if isinstance(node, ast.Attribute) else None
    if not isinstance(asked, ast.Name):
        return False
    scope = module.scope_of(asked).lookup(asked.id)
    bindings = scope.bindings.get(asked.id, []) if scope is not None else []
    if scope is None or [each.kind for each in bindings] != ["parameter"]:
        return False
    function = scope.node
    while isinstance(function, FUNCTIONS) and not function.decorator_list:
        around = program.enclosing(module, function)
        if around is None:
            owner = module.parent(function)
            if isinstance(owner, ast.ClassDef):  # `@Deprecated("...")`, `@REGISTRY.register("...")`
                called = function.name == "__call__"
                return _only_decorates(program, owner.name if called else function.name)
            return isinstance(owner, ast.Module) and _only_decorates(program, function.name)
        if not _is_only_returned(module, function):
            return False
        function = around
    return False


def _is_only_returned(module: Module, function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return whether a local function is read by nothing but the `return` of the function around it."""
    home = module.scope_of(function)
    reads = [each for inner in home.walk() for each in inner.reads.get(function.name, ())]
    return bool(reads) and all(isinstance(module.parent(each), ast.Return) for each in reads)


def _only_decorates(program: Program, name: str) -> bool:
    """Return whether a name is read as a decorator, or called to make one, and nowhere else."""
    decorates = False
    for module in program.project.mentions(name):
        if module.aliases_of(name):
            return False
        for node in module.nodes_by_name.get(name, ()):
            above = module.parent(node)
            makes = isinstance(above, ast.Call) and above.func is node
            used: ast.AST | None = above if makes else node
            over = module.parent(above) if makes and above is not None else above
            if not isinstance(node.ctx, ast.Load):
                continue
            if used not in getattr(over, "decorator_list", ()):
                return False
            decorates = True
    return decorates


class _Flow:
    """The places that one function's value reaches, by assignments, arguments and returns."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.names: set[str] = set()
        self.places: list[Place] = []
        self._met: set[object] = set()

    def start(self, module: Module, function: ast.AST) -> bool:
        """Note where a function or class is first taken; False for what a decorator or a base gets."""
        if isinstance(function, ast.Lambda):
            self.names.add("<lambda>")
            self.add(module, function)
            return True
        if isinstance(function, ast.ClassDef) and not self._is_plain(module, function):
            return False
        if not isinstance(function, (*FUNCTIONS, ast.ClassDef)) or function.decorator_list:
            return False
        return self._read(module, function, function.name) and bool(self.places)

    def _is_plain(self, module: Module, node: ast.ClassDef) -> bool:
        """Return whether no code of the project gets a class when it is defined, or asks a base for it."""
        bases = [self.program.class_of(module, each) for each in node.bases]
        lineage = [
            each for base in bases if base is not None for each in self.program.lineage(base)
        ]
        return not (
            bool(node.keywords)
            or any("__init_subclass__" in each.methods or each.node.keywords for each in lineage)
            or self._are_listed(lineage)
        )

    def _are_listed(self, bases: list[Class]) -> bool:
        """Return whether code may list what derives from some classes, or from a class that is not known."""
        for module in self.program.project.mentions("__subclasses__"):
            for node in module.nodes_by_name.get("__subclasses__", ()):
                owner = self.program.class_of(module, getattr(node, "value", node))
                if owner is None or owner in bases:
                    return True
        return False

    def run(self) -> bool:
        """Follow the value; False where it goes on unseen."""
        for place in self.places:  # grows while it is read
            if len(self.places) > _MOST or not self._goes(*place):
                return False
        return True

    def add(self, module: Module, node: ast.AST) -> None:
        """Note a place that the value reaches."""
        if node not in self._met:
            self._met.add(node)
            self.places.append((module, node))

    def _read(self, module: Module, node: ast.AST, name: str) -> bool:
        """Follow the reads of a name, as the scope of a node sees it; False where others import it."""
        scope = module.scope_of(node).lookup(name)
        if scope is None:
            return False
        if scope.is_class:
            return self._kept(name)
        if (scope, name) in self._met:
            return True
        self._met.add((scope, name))
        self.names.add(name)
        for inner in scope.walk():
            if inner.lookup(name) is scope:
                for read in inner.reads.get(name, ()):
                    self.add(module, read)
        return not (scope.is_module and self._is_imported(name))

    def _is_imported(self, name: str) -> bool:
        return any(
            alias.name == name
            for module in self.program.project.mentions(name)
            for alias in module.nodes(ast.alias)
        )

    def _goes(self, module: Module, place: ast.AST) -> bool:
        """Follow a value from one place; False where it is not known what becomes of it."""
        node, above, keyword = place, module.parent(place), ""
        while isinstance(above, (ast.keyword, ast.IfExp, *_HOLDERS)):
            if isinstance(above, ast.IfExp) and above.test is node:
                return True
            if isinstance(above, ast.keyword):
                keyword = above.arg or keyword
            node, above = above, module.parent(above)
        match above:
            case ast.Call(func=func) if func is node:
                return True  # its result is a sample
            case ast.Call():
                return self._passed(module, above, node, keyword)
            case ast.Compare() | ast.Expr():
                return True
            case ast.If(test=test) | ast.While(test=test) | ast.Assert(test=test):
                return test is node
            case ast.UnaryOp(op=ast.Not()):
                return True
            case ast.ListComp(elt=item) | ast.GeneratorExp(elt=item) if item is node:
                self.add(module, above)  # each item of it is one
                return True
            case ast.Attribute(attr="func"):
                self.add(module, above)  # of a partial of it
                return True
            case ast.Attribute(attr=name) if not name.startswith("__"):
                return name not in _OF_HOLDERS  # no function has it
            case ast.arguments():
                return self._is_default(module, above, node)
            case ast.Subscript(value=value) if value is node:
                self.add(module, above)  # an item of the list that holds it
                return isinstance(above.ctx, ast.Load)
            case ast.Subscript(slice=key) if key is node:
                return isinstance(above.ctx, ast.Load)  # gives what is kept under it
            case ast.For(
                iter=ast.Call(func=ast.Name(id="enumerate")) as source,
                target=ast.Tuple(elts=[_, target]),
            ) if source is node:
                return self._bound(module, target)
            case ast.For(iter=source, target=target) if source is node:
                return self._bound(module, target)
            case ast.comprehension(iter=source, target=target) if source is node:
                around = module.parent(above)
                inside = getattr(around, "elt", getattr(around, "key", above))
                return all(self._read(module, inside, name) for name in stored_names(target))
            case ast.Dict():
                return node is place and self._in_options(module, above, node)
            case ast.Assign(targets=targets):
                return all(self._bound(module, target) for target in targets)
            case ast.AnnAssign(target=target):
                return self._bound(module, target)
            case ast.Return():
                return self._returned(module, above)
        return False

    def _is_default(self, module: Module, parameters: ast.arguments, value: ast.AST) -> bool:
        """Follow the default of a parameter into the function."""
        function = module.parent(parameters)
        if not isinstance(function, FUNCTIONS) or function.decorator_list:
            return False
        names = [name for name, default in defaults(parameters).items() if default is value]
        return all(self._read(module, function.body[0], name) for name in names)

    def _in_options(self, module: Module, options: ast.Dict, value: ast.AST) -> bool:
        """Follow an item of a dict whose uses pass it on under its key: `DataLoader(**options)`."""
        key = next(
            (k for k, v in zip(options.keys, options.values, strict=True) if v is value), None
        )
        if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
            return False
        self.names.add(key.value)
        above = module.parent(options)
        if not isinstance(above, ast.Assign):
            return False
        return all(
            isinstance(target, ast.Name) and self._are_options(module, target)
            for target in above.targets
        )

    def _are_options(self, module: Module, name: ast.Name) -> bool:
        """Return whether all uses of a dict of options pass it to a library, once it has the function."""
        uses = [use for use in self._uses(module, name) if _may_follow(module, name, use[0])]
        return all(_is_options(module, *each) and self._unpacked(module, *each) for each in uses)

    def _bound(self, module: Module, target: ast.expr) -> bool:
        match target:
            case ast.Name(id=name):
                return self._read(module, target, name)
            case ast.Attribute(attr=name):
                return self._kept(name)
            case ast.Subscript(value=ast.Name() as options, slice=ast.Constant(value=str() as key)):
                self.names.add(key)
                return self._are_options(module, options)
            case ast.Tuple(elts=elements):
                return all(self._bound(module, element) for element in elements)
        return False

    def _kept(self, name: str) -> bool:
        """Follow what is read of any object under an attribute's name."""
        if name in self._met:
            return True
        self._met.add(name)
        self.names.add(name)
        if self._asked_for(name):
            return False
        self._read_by_key(name)
        for module in self.program.project.mentions(name):
            for node in module.nodes_by_name.get(name, ()):
                if (
                    isinstance(node, ast.Attribute)
                    and isinstance(node.ctx, ast.Load)
                    and not _is_of_module(module, node)
                ):
                    self.add(module, node)
        return True

    def _asked_for(self, name: str) -> bool:
        """Return whether code may read the attribute by a text, and keep it under another name."""
        for module in self.program.project.mentions(name):
            for call in module.calls_by_name.get("getattr", ()):
                asked = call.args[1] if len(call.args) > 1 else None
                if isinstance(asked, ast.Constant) and asked.value == name:
                    return True
        return False

    def _read_by_key(self, name: str) -> None:
        """Follow what is read of the dict of an object that may have the attribute."""
        for word in ("__dict__", "vars"):
            for module in self.program.project.mentions(word):
                for node in module.nodes_by_name.get(word, ()):
                    held = node if word == "__dict__" else module.parent(node)
                    owner = attributes_of(held)
                    if (
                        held is not None
                        and owner is not None
                        and self._may_have(module, owner, name)
                    ):
                        self._add_of_dict(module, held, name)

    def _may_have(self, module: Module, owner: ast.expr, name: str) -> bool:
        """Return whether an object may be of a class whose methods set an attribute."""
        own = self.program.class_of_self(module, owner)
        holders = (
            cls
            for home in self.program.project.mentions(name)
            if name in home.stores_by_name
            for cls in self.program.classes(home)
            if name in attributes_set(cls)
        )
        return any(
            own in family
            if own is not None
            else goes_by(self.program, cls, owner) and may_be(self.program, module, owner, family)
            for cls in holders
            for family in [self.program.family(cls)]
        )

    def _add_of_dict(self, module: Module, held: ast.AST, name: str) -> None:
        """Follow an item of the dict, by the name or a key that is computed, and those of a loop."""
        match module.parent(held):
            case ast.Attribute(attr="values" | "items") as method:
                call = module.parent(method)
                if call is not None and _is_iterated(module, call):
                    self.add(module, call)
            case ast.Attribute(attr="get" | "pop") as method:
                call = module.parent(method)
                if isinstance(call, ast.Call) and _may_be(call.args[:1], name):
                    self.add(module, call)
            case ast.Subscript(slice=key) as item if item.value is held and _may_be([key], name):
                self.add(module, item)

    def _uses(self, module: Module, name: ast.Name) -> Iterator[tuple[ast.Name, ast.AST | None]]:
        scope = module.scope_of(name).lookup(name.id)
        for inner in scope.walk() if scope is not None else ():
            if inner.lookup(name.id) is scope:
                yield from ((read, module.parent(read)) for read in inner.reads.get(name.id, ()))

    def _unpacked(self, module: Module, read: ast.Name, above: ast.AST | None) -> bool:
        if not isinstance(above, ast.keyword):
            return True
        call = module.parent(above)
        return isinstance(call, ast.Call) and self._is_of_library(module, call.func)

    def _returned(self, module: Module, statement: ast.Return) -> bool:
        """Follow what a function returns to its calls; False where none is in view."""
        function = self.program.enclosing(module, statement)
        if (
            function is None
            or isinstance(function, ast.AsyncFunctionDef)
            or function.decorator_list
        ):
            return False
        name = function.name
        if function in self._met:
            return True
        self._met.add(function)
        self.names.add(name)
        seen = len(self.places)
        for other in self.program.project.mentions(name):
            if other.aliases_of(name):
                return False
            for node in other.nodes_by_name.get(name, ()):
                call = other.parent(node)
                if not isinstance(node.ctx, ast.Load):
                    continue
                if not isinstance(call, ast.Call) or call.func is not node:
                    return False
                self.add(other, call)
        return len(self.places) > seen

    def _passed(self, module: Module, call: ast.Call, node: ast.AST, keyword: str) -> bool:
        """Follow an argument into the function that gets it."""
        if _is_builtin(module, call.func, _TESTS) or _asks_for_another(module, call):
            return True
        if _is_builtin(module, call.func, _ITERATORS):
            self.add(module, call)
            return True
        if _is_partial(module, call) and call.args[:1] == [node]:
            self.add(module, call)
            return True
        if self._is_of_library(module, call.func):
            self.names.add(keyword)
            is_own = _is_super(call.func) or self.program.class_of(module, call.func) is not None
            if keyword and not is_own and last_part(call.func)[:1].isupper():
                return self._kept(keyword)  # `loader.collate_fn` of `DataLoader(collate_fn=...)`
            return self._kept(keyword) if is_own and keyword else not is_own
        found = self._callee(module, call.func)
        callees = [found] if found is not None else self._methods(module, call.func)
        if not callees or (isinstance(node, ast.keyword) and node.arg is None):
            return False
        for where, function, bound in callees:
            name = keyword or _by_position(function, call, node, bound)
            args = function.args
            if name not in {a.arg for a in [*args.posonlyargs, *args.args, *args.kwonlyargs]}:
                return False
            if not self._read(where, function.body[0], name):
                return False
        return True

    def _methods(self, module: Module, func: ast.expr) -> list[tuple[Module, ast.FunctionDef, int]]:
        """Return the methods that `self.apply(...)` may run, of whatever class; none where one is decorated."""
        name = func.attr if isinstance(func, ast.Attribute) else ""
        if (
            not isinstance(func, ast.Attribute)
            or self.program.class_of_self(module, func.value) is None
        ):
            return []
        found = [
            (home, function)
            for home in self.program.project.mentions(name)
            for function in home.functions_by_name.get(name, ())
            if isinstance(home.parent(function), ast.ClassDef)
        ]
        plain = [
            (home, function, 1)
            for home, function in found
            if isinstance(function, ast.FunctionDef) and not function.decorator_list
        ]
        return plain if len(plain) == len(found) else []

    def _callee(self, module: Module, func: ast.expr) -> tuple[Module, ast.FunctionDef, int] | None:
        """Return the function of the project that a call runs, and how many arguments are bound."""
        cls = self._above(module, func) if _is_super(func) else self.program.class_of(module, func)
        if cls is not None:
            method = self.program.method(cls, "__init__")
            if method is None or not isinstance(method[1], ast.FunctionDef):
                return None
            if method[1].decorator_list or cls.node.decorator_list:
                return None
            return method[0].module, method[1], 1
        found = self.program.function_of(module, func)
        if found is None or not isinstance(found[1], ast.FunctionDef):
            return None
        of_module = isinstance(found[0].parent(found[1]), ast.Module)
        is_plain = (isinstance(func, ast.Name) or of_module) and not found[1].decorator_list
        return (found[0], found[1], 0) if is_plain else None

    def _above(self, module: Module, func: ast.expr) -> Class | None:
        """Return the base of the project whose `__init__` is the one `super()` runs; None for a library."""
        owner = next((a for a in module.ancestors(func) if isinstance(a, ast.ClassDef)), None)
        for base in owner.bases if owner is not None else ():
            cls = self.program.class_of(module, base)
            if cls is None or self.program.method(cls, "__init__") is not None:
                return cls
            if self.program.unknown_bases(cls):
                return None
        return None

    def _is_of_library(self, module: Module, func: ast.expr) -> bool:
        if _is_super(func):
            return self._above(module, func) is None
        cls = self.program.class_of(module, func)
        if cls is not None:
            return (
                not cls.node.decorator_list
                and all(
                    not {"__init__", "__new__", "__call__"} & each.methods.keys()
                    for each in self.program.lineage(cls)
                )
                and bool(self.program.unknown_bases(cls))
            )
        root = func
        while isinstance(root, ast.Attribute):
            root = root.value
        if not isinstance(root, ast.Name) or self.program.resolve(module, func) is not None:
            return False
        scope = module.scope_of(root).lookup(root.id)
        bindings = scope.bindings.get(root.id, []) if scope is not None else []
        origins = {_origin(each.statement, root.id) for each in bindings}
        if scope is None:
            origins = self._starred(module, root.id)
        return bool(origins) and all(
            origin
            and origin not in _PASSES_ON
            and self.program.project.find(origin, module) in (None, module)
            for origin in origins
        )

    def _starred(self, module: Module, name: str) -> set[str]:
        """Return the packages from which a module has a name by `from imports import *` of the project."""
        project = self.program.project
        found: set[str] = set()
        for node in module.nodes(ast.ImportFrom):
            if node.names[0].name == "*":
                origin = node.module or ""
                origin = project.relative(module, node.level, origin) if node.level else origin
                source = project.find(origin, module)
                if source is not None and source is not module and source.exports(name):
                    bindings = source.scope.bindings.get(name, ())
                    found |= {_origin(each.statement, name) for each in bindings}
        return found


def _is_iterated(module: Module, source: ast.AST) -> bool:
    return getattr(module.parent(source), "iter", None) is source


def _may_be(keys: list[ast.expr], name: str) -> bool:
    return any(not isinstance(each, ast.Constant) or each.value == name for each in keys)


def _may_follow(module: Module, stored: ast.Name, read: ast.Name) -> bool:
    """Return whether a variable may be read after a place with the value that it has there."""
    if module.scope_of(read) is not module.scope_of(stored) or not comes_before(read, stored):
        return True
    around = set(module.ancestors(read))
    loops = [
        each for each in module.ancestors(stored) if each in around and isinstance(each, _LOOPS)
    ]
    return not all(any(_binds_anew(s, read) for s in loop.body) for loop in loops)


def _binds_anew(statement: ast.stmt, read: ast.Name) -> bool:
    """Return whether a statement gives a variable another value before a read, which holds nothing of the old one."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if name == read.id:
            kept = any(isinstance(each, ast.Name) and each.id == name for each in ast.walk(value))
            return not kept and comes_before(statement, read)
    return False


def _is_options(module: Module, read: ast.Name, above: ast.AST | None) -> bool:
    """Return whether a use of a dict of options shows none of its values: an item by name, or `**`."""
    match above:
        case ast.keyword(arg=None):
            return True
        case ast.Subscript(value=value, slice=ast.Constant()) if value is read:
            return not isinstance(above.ctx, ast.Load)
        case ast.Compare(ops=[ast.In() | ast.NotIn()]):
            return True
        case ast.Attribute(attr="update"):
            return isinstance(module.parent(module.parent(above) or above), ast.Expr)
        case ast.Attribute(attr="pop" | "setdefault"):
            return isinstance(module.parent(module.parent(above) or above), ast.Expr)
    return False


def _is_of_module(module: Module, node: ast.Attribute) -> bool:
    """Return whether an attribute is one of an imported module: `torchvision.transforms`."""
    if not isinstance(node.value, ast.Name):
        return False
    scope = module.scope_of(node.value).lookup(node.value.id)
    bindings = scope.bindings.get(node.value.id, []) if scope is not None else []
    return bool(bindings) and all(isinstance(b.statement, ast.Import) for b in bindings)


def _is_builtin(module: Module, func: ast.expr, names: frozenset[str]) -> bool:
    return (
        isinstance(func, ast.Name)
        and func.id in names
        and module.scope_of(func).lookup(func.id) is None
    )


def _is_partial(module: Module, call: ast.Call) -> bool:
    """Return whether a call makes a partial by the library's own function."""
    if last_part(call.func) != "partial":
        return False
    return ImportTime(module.tree).full_name(call.func) == "functools.partial"


def _asks_for_another(module: Module, call: ast.Call) -> bool:
    """Return whether a call asks whether there is an attribute that no function has."""
    if not _is_builtin(module, call.func, frozenset({"hasattr"})) or len(call.args) != 2:
        return False
    asked = call.args[1]
    return isinstance(asked, ast.Constant) and not str(asked.value).startswith("__")


def _is_super(func: ast.expr) -> bool:
    match func:
        case ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr="__init__"):
            return True
    return False


def _by_position(function: ast.FunctionDef, call: ast.Call, node: ast.AST, bound: int) -> str:
    if any(isinstance(each, ast.Starred) for each in call.args) or node not in call.args:
        return ""
    named = [*function.args.posonlyargs, *function.args.args][bound:]
    index = call.args.index(node)
    return named[index].arg if index < len(named) else ""


def _origin(statement: ast.AST, name: str) -> str:
    """Return the package from which a statement imports a name; empty where it does not."""
    if isinstance(statement, ast.ImportFrom):
        return (statement.module or "").partition(".")[0] if not statement.level else ""
    if isinstance(statement, ast.Import):
        for alias in statement.names:
            if (alias.asname or alias.name.partition(".")[0]) == name:
                return alias.name.partition(".")[0]
    return ""


__all__ = ["is_about", "is_of_decorated", "known_as"]
