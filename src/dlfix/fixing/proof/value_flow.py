"""Where a function's value goes: by which names code of the project could ask something of it.

A place is an expression that may be the function, or a container that may hold it: what a container gives is
taken for what it holds. Attributes are followed by their names, of whatever object.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from dlfix.fixing.proof.changes import attributes_set
from dlfix.fixing.proof.computed_names import passed_for
from dlfix.fixing.proof.objects import BARE, has_other_attributes
from dlfix.fixing.proof.program import Class, Program, whose_class
from dlfix.fixing.proof.syntax import COMPREHENSIONS, FUNCTIONS, Function, last_part, within
from dlfix.fixing.proof.writes import goes_by, may_be, values_given
from dlfix.project.bindings import Binding
from dlfix.project.holding import ANYWHERE
from dlfix.project.import_time import ImportTime
from dlfix.project.module import Module
from dlfix.project.order import comes_before
from dlfix.project.syntax import attributes_of, defaults

# Modules whose calls give something that holds the function, or ask it themselves.
_PASSES_ON = frozenset(
    {"functools", "inspect", "builtins", "types", "operator", "itertools", "toolz"}
)
_HOLDERS = (ast.List, ast.Tuple, ast.Set, ast.Starred, ast.BinOp, ast.BoolOp)
_FRESH = (*_HOLDERS, *COMPREHENSIONS, ast.Dict, ast.Constant)
# What the methods of a container give of what it holds, and those that put something into it.
_GIVES = frozenset(
    "get pop popitem popleft values items keys copy setdefault __getitem__ __iter__ elements union".split()
)
_TAKES = frozenset("append appendleft extend insert add update setdefault".split())
_OF_HOLDERS = frozenset(name for kind in (list, tuple, set, dict) for name in dir(kind))
# Builtin functions that show nothing of what they are given, and those that give it, or its items.
_TESTS = frozenset({"isinstance", "len", "callable", "id", "bool", "super", "hasattr"})
_CONTAINERS = frozenset(
    "dict list tuple set frozenset enumerate zip reversed sorted iter next".split()
)
_SHOW = frozenset({"print", "str", "repr", "format"})
_ITERATORS = frozenset("repeat cycle chain from_iterable islice product zip_longest".split())
_GIVEN_BY_PARTIAL = frozenset({"func", "args", "keywords"})
_OF_CLASSES = frozenset({"staticmethod", "classmethod"})
_OF_DATASETS = frozenset({"__getitem__", "__iter__", "__getattr__"})
_BARE = frozenset({"object", "ABC", "Generic", "Protocol"})
_FIELDS = frozenset({"dataclass", "define", "frozen", "mutable"})
_CACHES = frozenset({"lru_cache", "cache"})
# Special attributes that give the function again.
_SELF = frozenset({"__call__", "__func__", "__wrapped__", "__self__", "__dict__"})
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_MOST_VALUES = 40  # values that one attribute is followed to
_MOST = 2000  # places that one value is followed to

Place = tuple[Module, ast.AST]


class Known(NamedTuple):
    """The names by which code could come to some functions.

    `anywhere` are functions, attributes, keys and keywords, which code of any module may use; a variable of a
    function stands with the file that has it.
    """

    anywhere: frozenset[str]
    variables: frozenset[tuple[Path, str]]

    @property
    def names(self) -> frozenset[str]:
        """All of them."""
        return self.anywhere | {name for _, name in self.variables}

    def has(self, module: Module, node: ast.AST) -> bool:
        """Return whether a name or an attribute in a module is one of them."""
        if isinstance(node, ast.Attribute):
            return node.attr in self.anywhere
        name = node.id if isinstance(node, ast.Name) else ""
        return name in self.anywhere or (module.path, name) in self.variables


def known_as(program: Program, module: Module, functions: Iterable[ast.AST]) -> Known | None:
    """Return the names by which code could come to some functions; None where it could be any name."""
    anywhere: set[str] = set()
    variables: set[tuple[Path, str]] = set()
    for function in functions:
        flow = _Flow(program)
        if not flow.start(module, function) or not flow.run():
            return None
        anywhere |= flow.anywhere
        variables |= flow.variables
    return Known(frozenset(anywhere), frozenset(variables))


def places_of(program: Program, module: Module, made: ast.expr) -> list[Place] | None:
    """Return the expressions that may give what one of them makes; None where it goes on unseen."""
    flow = _Flow(program)
    flow.add(module, made)
    return flow.places if flow.run() else None


def is_about(module: Module, node: ast.AST, known: Known | None) -> bool:
    """Return whether what a node asks may be asked of something that goes by one of some names."""
    if known is None:
        return True
    asked: ast.AST = node
    for above in module.ancestors(node):
        if isinstance(above, (ast.stmt, ast.Lambda)):
            break
        asked = above
        if isinstance(above, (ast.Call, ast.Compare)):
            break
    return any(known.has(module, each) for each in within(asked))


class _Flow:
    """The places that one function's value reaches, by assignments, arguments, containers and returns."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.anywhere: set[str] = set()
        self.variables: set[tuple[Path, str]] = set()
        self.keys: set[str] = set()  # under which dicts hold it
        self._other_keys = False  # so that `**options` may pass it for any parameter
        self._items: list[tuple[str, Module, ast.AST]] = []  # what is read under other keys
        self.is_class = (
            False  # whose text says its name: that of a function differs from run to run
        )
        self.places: list[Place] = []
        self._met: set[object] = set()
        self._families: dict[Class, list[Class]] = {}

    def start(self, module: Module, function: ast.AST) -> bool:
        """Note where a function or class is first taken; False for what a decorator or a base gets."""
        if isinstance(function, ast.Lambda):
            self.anywhere.add("<lambda>")
            self.add(module, function)
            return True
        self.is_class = isinstance(function, ast.ClassDef)
        if isinstance(function, ast.ClassDef) and not self._is_plain(module, function):
            return False
        if not isinstance(function, (*FUNCTIONS, ast.ClassDef)) or function.decorator_list:
            return False
        self.anywhere.add(function.name)
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

    # Names and attributes that have the value

    def _read(self, module: Module, node: ast.AST, name: str) -> bool:
        """Follow the reads of a name, as the scope of a node sees it."""
        scope = module.scope_of(node).lookup(name)
        if scope is None:
            return False
        if scope.is_class:
            return self._kept(name, self.program.class_at(module, scope.node))
        if (scope, name) in self._met:
            return True
        self._met.add((scope, name))
        self._note(module, name, is_global=scope.is_module)
        for inner in scope.walk():
            if inner.lookup(name) is scope:
                for read in inner.reads.get(name, ()):
                    self.add(module, read)
        return not scope.is_module or self._imported(module, name)

    def _note(self, module: Module, name: str, *, is_global: bool) -> None:
        if is_global:
            self.anywhere.add(name)
        else:
            self.variables.add((module.path, name))

    def _imported(self, home: Module, name: str) -> bool:
        """Follow a name of a module into those that import it; False where one of them imports all names."""
        for module in self.program.project.mentions(name):
            if module is home:
                continue
            imports = module.nodes(ast.ImportFrom)
            for statement in imports:
                bound = [each.asname or name for each in statement.names if each.name == name]
                if not all(self._read(module, statement, each) for each in bound):
                    return False
            if any(alias.name == "*" for each in imports for alias in each.names):
                return False
            for node in module.nodes_by_name.get(name, ()):
                if isinstance(node, ast.Attribute) and _is_of_module(module, node):
                    self.add(module, node)
        return True

    def _kept_by(self, module: Module, kept: ast.Attribute) -> bool:
        """Follow an attribute that is set to the value."""
        cls = self.program.class_of_self(module, kept.value)
        if kept.attr != "__dict__":
            return self._kept(kept.attr, cls)
        return not self._other_keys and all(self._kept(each, cls) for each in sorted(self.keys))

    def _kept(self, name: str, cls: Class | None) -> bool:
        """Follow what is read under an attribute's name, of objects of a class; of any but the program's own without one."""
        if (name, cls) in self._met:
            return True
        self._met.add((name, cls))
        self.anywhere.add(name)
        self._read_by_text(name)
        self._read_by_key(name, cls)
        for module in self.program.project.mentions(name):
            for node in module.nodes_by_name.get(name, ()):
                if (
                    isinstance(node, ast.Attribute)
                    and isinstance(node.ctx, ast.Load)
                    and not _is_of_module(module, node)
                    and self._may_be_of(module, node.value, cls)
                ):
                    self.add(module, node)
        return True

    def _may_be_of(self, module: Module, owner: ast.expr, cls: Class | None) -> bool:
        """Return whether an expression may be an object of a class, or the class; without one, of a library's."""
        own = self.program.class_of_self(module, whose_class(owner) or owner)
        own = own or self.program.class_of(module, owner) or self._annotated(module, owner)
        if own is not None:
            return own in self._family(cls) if cls else bool(self.program.unknown_bases(own))
        if cls is None:
            return True
        if self._is_of_other_library(module, owner, cls) or has_other_attributes(
            self.program, module, owner, [cls, *self.program.heirs(cls)]
        ):
            return False
        if last_part(owner) == "dataset" and not self._has_items(cls):
            return False
        return goes_by(self.program, cls, owner) and may_be(
            self.program, module, owner, self._family(cls)
        )

    def _has_items(self, cls: Class) -> bool:
        """Return whether a loader can take objects of a class for its dataset."""
        methods = {name for each in self._family(cls) for name in each.methods}
        return bool(methods & _OF_DATASETS or set(self.program.unknown_bases(cls)) - _BARE)

    def _is_seen_to_be(self, module: Module, owner: ast.expr, cls: Class) -> bool:
        """Return whether an expression may be an object of a class, which comes to names that are known."""
        own = self.program.class_of_self(module, owner)
        is_anybodys = ANYWHERE in self.program.given_names(cls)
        return (own is not None or not is_anybodys) and self._may_be_of(module, owner, cls)

    def _family(self, cls: Class) -> list[Class]:
        if cls not in self._families:
            self._families[cls] = self.program.family(cls)
        return self._families[cls]

    def _annotated(self, module: Module, owner: ast.expr) -> Class | None:
        """Return the class of the project that the annotation of a parameter names."""
        annotation = _annotation(module, owner)
        return self.program.class_of(module, annotation) if annotation is not None else None

    def _is_of_other_library(self, module: Module, owner: ast.expr, cls: Class) -> bool:
        """Return whether a parameter is annotated as an object of a library, of whose classes none is a base of a class."""
        annotation = _annotation(module, owner)
        if annotation is None or not self.program.is_of_library(module, annotation):
            return False
        bases = set(self.program.unknown_bases(cls))
        return bases <= BARE and last_part(annotation) not in bases | {"Any", "object"}

    def _read_by_text(self, name: str) -> None:
        """Follow what `getattr` gives for an attribute's name."""
        for module in self.program.project.mentions(name):
            for call in module.calls_by_name.get("getattr", ()):
                asked = call.args[1] if len(call.args) > 1 else None
                if isinstance(asked, ast.Constant) and asked.value == name:
                    self.add(module, call)

    def _read_by_key(self, name: str, cls: Class | None) -> None:
        """Follow what is read of the dict of an object that may have the attribute."""
        holders = [cls] if cls is not None else self._setting(name)
        for word in ("__dict__", "vars") if holders else ():
            for module in self.program.project.mentions(word):
                for node in module.nodes_by_name.get(word, ()):
                    held = node if word == "__dict__" else module.parent(node)
                    owner = attributes_of(held)
                    if (
                        held is not None
                        and owner is not None
                        and any(self._is_seen_to_be(module, owner, each) for each in holders)
                    ):
                        self._add_of_dict(module, held, name)

    def _setting(self, name: str) -> list[Class]:
        """Return the classes whose methods set an attribute."""
        return [
            cls
            for home in self.program.project.mentions(name)
            if name in home.stores_by_name
            for cls in self.program.classes(home)
            if name in attributes_set(cls)
        ]

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

    # From one place to the next

    def _goes(self, module: Module, place: ast.AST) -> bool:
        """Follow a value from one place; False where it is not known what becomes of it."""
        node, above, keyword = place, module.parent(place), ""
        while above is not None and self._is_part(above, node):
            if isinstance(above, ast.keyword):
                keyword = above.arg or keyword
            node, above = above, module.parent(above)
        match above:
            case None | ast.Compare() | ast.Expr() | ast.Delete():
                return True
            case ast.Call(func=func) if func is node:
                return True  # its result is a sample
            case ast.Call():
                return self._passed(module, above, node, keyword)
            case ast.If(test=test) | ast.While(test=test) | ast.Assert(test=test):
                return test is node
            case ast.IfExp() | ast.UnaryOp(op=ast.Not()):
                return True
            case ast.FormattedValue():
                return not self.is_class
            case ast.FunctionDef(decorator_list=over) | ast.ClassDef(decorator_list=over):
                return node in over  # it is called
            case ast.ListComp(elt=item) | ast.SetComp(elt=item) | ast.GeneratorExp(elt=item):
                self.add(module, above)  # each item of it is one
                return item is node
            case ast.DictComp(value=item):
                self.add(module, above)
                self._under(above.key)
                return item is node
            case ast.Attribute():
                return self._asked(module, above)
            case ast.arguments():
                return self._is_default(module, above, node)
            case ast.Subscript(value=value, slice=key) if value is node:
                self._item(module, above, key)
                return True
            case ast.Subscript(slice=key) if key is node:
                return isinstance(above.ctx, ast.Load)  # gives what is kept under it
            case ast.For(iter=source, target=target) if source is node:
                return self._bound(module, _item_of(source, target), above)
            case ast.comprehension(iter=source, target=target) if source is node:
                around = module.parent(above)
                inside = getattr(around, "elt", getattr(around, "key", above))
                return self._bound(module, _item_of(source, target), inside)
            case _ if isinstance(place, ast.Subscript) and not isinstance(place.ctx, ast.Load):
                return True  # another value takes its place
            case ast.Assign(targets=targets, value=value) if value is node:
                return all(self._bound(module, target, above) for target in targets)
            case ast.AnnAssign(target=target, value=value) if value is node:
                return self._bound(module, target, above)
            case ast.NamedExpr(target=target, value=value) if value is node:
                self.add(module, above)
                return self._bound(module, target, above)
            case ast.AugAssign(target=target, value=value) if value is node:
                return self._put_into(module, target)
            case ast.Return() | ast.Yield():
                return self._returned(module, above)
        return False

    def _is_part(self, above: ast.AST, node: ast.AST) -> bool:
        """Return whether an expression is, or holds, one of its parts, of which it notes the key."""
        match above:
            case ast.keyword():
                return True
            case ast.IfExp(test=test):
                return test is not node
            case ast.Dict(keys=keys, values=values) if node in values:
                self._under(keys[values.index(node)])
                return True
        return isinstance(above, _HOLDERS)

    def _under(self, key: ast.expr | None) -> None:
        """Note the key under which a dict holds the value; None where it unpacks another dict."""
        match key:
            case ast.Constant(value=str() as text):
                self.anywhere.add(text)
                self.keys.add(text)
            case ast.expr():
                self._other_keys = True
        for text, module, item in self._items:
            if self._may_be_under(text):
                self.add(module, item)

    def _may_be_under(self, key: str) -> bool:
        return self._other_keys or not self.keys or key in self.keys

    def _item(self, module: Module, item: ast.AST, key: ast.expr | None) -> None:
        """Note an item of what holds the value, unless it is under a key that the value is not under."""
        if (
            not isinstance(key, ast.Constant)
            or not isinstance(key.value, str)
            or self._may_be_under(key.value)
        ):
            self.add(module, item)
        else:
            self._items.append((key.value, module, item))

    def _asked(self, module: Module, asked: ast.Attribute) -> bool:
        """Follow what an attribute of the value gives: only containers, partials and methods give it again."""
        if asked.attr in _GIVEN_BY_PARTIAL | _SELF:
            self.add(module, asked)
            return asked.attr not in ("__dict__", "__self__")
        if asked.attr not in _OF_HOLDERS or asked.attr.startswith("__"):
            return True
        call = module.parent(asked)
        if not isinstance(call, ast.Call) or call.func is not asked:
            return False
        if asked.attr in _GIVES:
            self._item(module, call, next(iter(call.args), None))
        return True

    def _is_default(self, module: Module, parameters: ast.arguments, value: ast.AST) -> bool:
        """Follow the default of a parameter into the function."""
        function = module.parent(parameters)
        if not isinstance(function, FUNCTIONS) or function.decorator_list:
            return False
        names = [name for name, default in defaults(parameters).items() if default is value]
        return all(self._read(module, function.body[0], name) for name in names)

    def _bound(self, module: Module, target: ast.expr, around: ast.AST) -> bool:
        """Follow what an assignment or a loop binds, in the scope of a node."""
        match target:
            case ast.Name(id=name):
                return self._read(module, around, name)
            case ast.Attribute():
                return self._kept_by(module, target)
            case ast.Subscript(value=held, slice=key):
                self._under(key)
                return self._put_into(module, held)
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                return all(self._bound(module, element, around) for element in elements)
            case ast.Starred(value=value):
                return self._bound(module, value, around)
        return False

    def _returned(self, module: Module, statement: ast.AST) -> bool:
        """Follow what a function returns, or yields, to its calls; False where none is in view."""
        function = self.program.enclosing(module, statement)
        if function is None or isinstance(function, ast.AsyncFunctionDef):
            return False
        decorators = {last_part(each) for each in function.decorator_list}
        name = function.name
        if decorators & {"property", "cached_property"}:
            cls = self.program.class_at(module, module.parent(function))
            return len(decorators) == 1 and self._kept(name, cls)
        if not all(self._only_calls(module, each) for each in function.decorator_list):
            return False
        if function in self._met:
            return True
        self._met.add(function)
        self.anywhere.add(name)
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

    def _only_calls(self, module: Module, decorator: ast.expr) -> bool:
        """Return whether what a decorator makes of a function gives what the function does, and no code of the project sees it."""
        func = decorator.func if isinstance(decorator, ast.Call) else decorator
        if last_part(func) in _OF_CLASSES | _CACHES or self._is_of_library(module, func):
            return True
        return isinstance(func, ast.Attribute) and self._is_nobodys(module, func)

    # Containers that get the value

    def _put_into(self, module: Module, holder: ast.expr) -> bool:
        """Follow a container that was given the value: by its own names, and those of what it was taken from."""
        if holder in self._met:
            return True
        self._met.add(holder)
        match holder:
            case ast.Name(id=name):
                return self._put_into_variable(module, holder, name)
            case ast.Attribute():
                return self._kept_by(module, holder)
            case ast.Subscript(value=held):
                return self._put_into(module, held)
            case ast.Call(func=ast.Attribute(value=held, attr=attr)) if attr in _GIVES - {"copy"}:
                return self._put_into(module, held)
            case ast.Call():
                return self._put_into_result(module, holder)
            case ast.IfExp(body=body, orelse=orelse):
                return self._put_into(module, body) and self._put_into(module, orelse)
            case ast.BoolOp(values=values):
                return all(self._put_into(module, each) for each in values)
        return isinstance(holder, _FRESH)

    def _put_into_variable(self, module: Module, holder: ast.Name, name: str) -> bool:
        scope = module.scope_of(holder).lookup(name)
        if scope is None:
            return False
        if scope.is_class:
            return self._kept(name, self.program.class_at(module, scope.node))
        self._note(module, name, is_global=scope.is_module)
        for inner in scope.walk():
            if inner.lookup(name) is scope:
                for read in inner.reads.get(name, ()):
                    if read is not holder and _may_follow(module, holder, read):
                        self.add(module, read)
        if scope.is_module and not self._imported(module, name):
            return False
        bindings = scope.bindings.get(name, ())
        return all(self._is_followed(module, holder, each) for each in bindings)

    def _is_followed(self, module: Module, holder: ast.Name, binding: Binding) -> bool:
        """Follow where a variable has its container from."""
        if binding.kind == "parameter":
            return self._taken_from_callers(module, holder)
        if binding.kind in ("assign", "annotated", "walrus", "for", "augmented"):
            if binding.value is None or binding.kind == "augmented":
                return True
            return self._put_into(module, binding.value)
        return binding.kind in ("delete", "except")

    def _taken_from_callers(self, module: Module, holder: ast.Name) -> bool:
        function = self.program.enclosing(module, holder)
        if not isinstance(function, FUNCTIONS):
            return False
        rest = (function.args.vararg, function.args.kwarg)
        if any(each is not None and each.arg == holder.id for each in rest):
            return True
        if self.program.class_of_self(module, holder) is not None:
            return False  # a container of the program's own
        passed = passed_for(self.program, module, holder)
        return all(self._put_into(home, value) for home, _, value in passed)

    def _put_into_result(self, module: Module, call: ast.Call) -> bool:
        """Follow a container that a call gives: one that is new, or what a function of the project returns."""
        if last_part(call.func) in ("vars", "globals", "locals"):
            return False
        cls = self.program.class_of(module, call.func)
        if cls is not None:
            return "__setitem__" not in cls.methods
        found = self.program.function_of(module, call.func)
        if found is None:
            return True
        home, function = found
        given = [n.value for n in ast.walk(function) if isinstance(n, (ast.Return, ast.Yield))]
        return all(self._put_into(home, each) for each in given if each is not None)

    # Calls that get the value

    def _passed(self, module: Module, call: ast.Call, node: ast.AST, keyword: str) -> bool:
        """Follow an argument into the function that gets it."""
        if _is_builtin(module, call.func, _TESTS):
            return not _asks_by_text(call)
        if _is_builtin(module, call.func, _SHOW) or _formats(call.func):
            return not self.is_class
        if _is_builtin(module, call.func, _CONTAINERS) or _is_of_itertools(module, call.func):
            if keyword and keyword != "key":
                self._under(ast.Constant(keyword))
            if keyword != "key":
                self.add(module, call)
            return True
        if _is_partial(module, call):
            return self._bound_by_partial(module, call, node, keyword)
        if self._is_of_library(module, call.func):
            return self._given_to_library(module, call, node, keyword)
        callees = self._callees(module, call.func) or self._methods(module, call.func)
        if not callees and isinstance(call.func, ast.Attribute):
            kept = self._kept_functions(call.func.attr)
            if kept is not None:
                return all(self._into(call, node, keyword, *each) for each in kept)
            if self._is_nobodys(module, call.func):
                return not keyword or self._kept(keyword, None)
        if isinstance(call.func, ast.Attribute) and call.func.attr in _TAKES:
            if keyword:
                self._under(ast.Constant(keyword))
            elif call.func.attr == "setdefault":
                self._under(call.args[0] if call.args else None)
                self.add(module, call)
            if not self._put_into(module, call.func.value):
                return False
            return all(self._into(call, node, keyword, *each) for each in callees)
        if not callees:
            return self._given_to_field(module, call, node, keyword)
        return all(self._into(call, node, keyword, *each) for each in callees)

    def _given_to_field(self, module: Module, call: ast.Call, node: ast.AST, keyword: str) -> bool:
        """Follow what becomes an attribute under its own name: a field of a data class, or by `setattr`."""
        match call:
            case ast.Call(
                func=ast.Name(id="setattr"), args=[_, ast.Constant(value=str() as name), value]
            ) if value is node:
                return self._kept(name, None)
        values = [each.value for each in _bindings(module, call.func) if each.kind == "assign"]
        named = [each for value in values for each in _chosen(value)] or [call.func]
        classes = [self._class_of(module, each) for each in named]
        return all(self._is_field(cls, call, node, keyword) for cls in classes)

    def _is_field(self, cls: Class | None, call: ast.Call, node: ast.AST, keyword: str) -> bool:
        """Follow what a data class keeps under the name of a field."""
        if cls is None or not _is_of_fields(cls) or self.program.method(cls, "__init__"):
            return False
        fields = [f for each in reversed(self.program.lineage(cls)) for f in each.annotated]
        name = keyword or _by_position([*dict.fromkeys(fields)], call, node)
        return bool(name) and self._kept(name, cls)

    def _bound_by_partial(
        self, module: Module, call: ast.Call, node: ast.AST, keyword: str
    ) -> bool:
        """Follow what a partial is of, or what it binds by keyword."""
        if call.args[:1] == [node]:
            self.add(module, call)
            return True
        found = self._callee(module, call.args[0]) if call.args and keyword else None
        if found is None:
            return False
        self.anywhere.add("keywords")
        return self._into(call, node, keyword, *found) and self._kept("keywords", None)

    def _given_to_library(
        self, module: Module, call: ast.Call, node: ast.AST, keyword: str
    ) -> bool:
        """Follow what the code of a library may keep under the name of an argument."""
        is_own = _is_super(call.func) or self.program.class_of(module, call.func) is not None
        is_class = is_own or last_part(call.func)[:1].isupper()
        if isinstance(node, ast.keyword) and node.arg is None:
            names = self.keys
        else:
            names = {keyword} if keyword else set()
        if not names and (is_own or self._is_unpacked(node)):
            return not is_own
        self.anywhere |= names or {keyword}
        cls = self.program.class_of(module, call.func)
        return all(self._kept(each, cls) for each in sorted(names)) if is_class else not is_own

    def _is_unpacked(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Starred) or (isinstance(node, ast.keyword) and node.arg is None)

    def _into(
        self,
        call: ast.Call,
        node: ast.AST,
        keyword: str,
        where: Module,
        function: ast.FunctionDef,
        bound: int,
    ) -> bool:
        """Follow an argument into the parameters that may get it."""
        named = [a.arg for a in [*function.args.posonlyargs, *function.args.args]][bound:]
        only = [a.arg for a in function.args.kwonlyargs]
        rest = function.args.vararg.arg if function.args.vararg else ""
        others = function.args.kwarg.arg if function.args.kwarg else ""
        if isinstance(node, ast.keyword) and node.arg is None:  # `**options`
            passed = {k.arg for k in call.keywords} | set(named[: len(call.args)])
            fitting = {*named, *only} - passed
            names = fitting if self._other_keys or not self.keys else fitting & self.keys
            names |= {others} - {""}
        elif isinstance(node, ast.Starred):
            names = {*named[call.args.index(node) :], rest} - {""}
        elif keyword:
            if keyword not in (*named, *only):
                self._under(ast.Constant(keyword))
            names = {keyword if keyword in (*named, *only) else others}
        else:
            names = {_by_position(named, call, node) or rest}
        return "" not in names and all(self._read(where, function.body[0], n) for n in names)

    def _methods(self, module: Module, func: ast.expr) -> list[tuple[Module, ast.FunctionDef, int]]:
        """Return the methods that `model.apply(...)` may run, of whatever class; none where one is decorated."""
        if not isinstance(func, ast.Attribute):
            return []
        found = self._of_known(module, func) or [
            (home, function)
            for home in self.program.project.mentions(func.attr)
            for function in home.functions_by_name.get(func.attr, ())
            if isinstance(home.parent(function), ast.ClassDef)
        ]
        plain = [
            (home, function, 0 if "staticmethod" in decorators else 1)
            for home, function in found
            for decorators in [{last_part(each) for each in function.decorator_list}]
            if isinstance(function, ast.FunctionDef) and not decorators - _OF_CLASSES
        ]
        return plain if len(plain) == len(found) else []

    def _of_known(self, module: Module, func: ast.Attribute) -> list[tuple[Module, Function]]:
        """Return the methods of the classes that an object is known to be of, and of what derives from these."""
        owner = func.value
        own = self.program.class_of_self(module, owner) or self._annotated(module, owner)
        made = [own] if own is not None else self._made(module, owner)
        methods = [
            self.program.method(each, func.attr)
            for cls in made
            if cls is not None
            for each in (cls, *self.program.heirs(cls))
        ]
        known = None not in made and None not in methods
        found = {method[1]: method[0].module for method in methods if method is not None}
        return [(home, function) for function, home in found.items()] if known else []

    def _made(self, module: Module, owner: ast.expr) -> list[Class | None]:
        """Return the classes of which a variable, or an attribute of `self`, is set to a new object; None for another."""
        bindings = _bindings(module, owner)
        values = [each.value if each.kind in ("assign", "with") else None for each in bindings]
        given = [(module, value) for value in values]
        if isinstance(owner, ast.Attribute) and self.program.class_of_self(module, owner.value):
            given = [*values_given(self.program, owner.attr)]
        calls = [(home, value.func) for home, value in given if isinstance(value, ast.Call)]
        classes = [self.program.class_of(home, func) for home, func in calls]
        return classes if len(calls) == len(given) else [None]

    def _is_nobodys(self, module: Module, method: ast.Attribute) -> bool:
        """Return whether the project has no function or attribute of a name: the method of an object is a library's."""
        own = self.program.class_of_self(module, method.value)
        if own is not None and not self.program.unknown_bases(own):
            return False
        if any(each.kind == "import" for each in _bindings(module, method.value)):
            return False
        return method.attr not in _TAKES and not any(
            home.functions_by_name.get(method.attr) or method.attr in home.stores_by_name
            for home in self.program.project.mentions(method.attr)
        )

    def _kept_functions(self, name: str) -> list[tuple[Module, ast.FunctionDef, int]] | None:
        """Return the functions that an attribute is set to, of whatever object; None where one is not seen."""
        found = []
        values = [*values_given(self.program, name)]
        for module, value in values:  # grows while it is read
            function = self._callee(module, value) if value is not None else None
            if function is not None:
                found.append(function)
            elif isinstance(value, ast.Name) and len(values) < _MOST_VALUES:
                passed = [*passed_for(self.program, module, value)]
                values += ((home, each) for home, _, each in passed)
                if not passed:
                    return None
            elif not (isinstance(value, ast.Constant) and value.value is None):
                return None
        return found if values else None

    def _callees(self, module: Module, func: ast.expr) -> list[tuple[Module, ast.FunctionDef, int]]:
        """Return the functions of the project that a call runs: also those that a variable is bound to."""
        direct = self._callee(module, func)
        if direct is not None:
            return [direct]
        values = [each.value for each in _bindings(module, func) if each.kind == "assign"]
        if not values or len(values) != len(_bindings(module, func)):
            return []
        chosen = [each for value in values for each in _chosen(value)]
        found = [self._callee(module, each) for each in chosen]
        return [each for each in found if each is not None] if None not in found else []

    def _callee(self, module: Module, func: ast.expr) -> tuple[Module, ast.FunctionDef, int] | None:
        """Return the function of the project that a call runs, and how many arguments are bound."""
        cls = self._above(module, func) if _is_super(func) else self._class_of(module, func)
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
        if isinstance(func, ast.Attribute) and self.program.class_of_self(module, func.value):
            return None  # of a method that a derived class may replace
        decorators = {last_part(each) for each in found[1].decorator_list}
        bound = 1 if "classmethod" in decorators else 0
        return None if decorators - _OF_CLASSES else (found[0], found[1], bound)

    def _class_of(self, module: Module, func: ast.expr) -> Class | None:
        """Return the class of the project that a call makes an object of: also the one that has the method."""
        named = self.program.class_of(module, func)
        if named is not None or not isinstance(func, (ast.Name, ast.Call, ast.Attribute)):
            return named
        return self.program.class_of_self(module, whose_class(func) or func)

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


def _item_of(source: ast.AST, target: ast.expr) -> ast.expr:
    """Return the part of a loop's target that gets the value: not the index, nor the key."""
    match source, target:
        case (
            ast.Call(func=ast.Name(id="enumerate"))
            | ast.Call(func=ast.Attribute(attr="items"), args=[]),
            ast.Tuple(elts=[_, item]),
        ):
            return item
    return target


def _is_iterated(module: Module, source: ast.AST) -> bool:
    return getattr(module.parent(source), "iter", None) is source


def _annotation(module: Module, owner: ast.expr) -> ast.expr | None:
    """Return the annotation of a parameter that nothing else is bound to."""
    bindings = _bindings(module, owner)
    if len(bindings) != 1 or not isinstance(bindings[0].node, ast.arg):
        return None
    return bindings[0].node.annotation


def _bindings(module: Module, named: ast.expr) -> list[Binding]:
    """Return where a variable is bound."""
    if not isinstance(named, ast.Name):
        return []
    scope = module.scope_of(named).lookup(named.id)
    return scope.bindings.get(named.id, []) if scope is not None else []


def _is_of_fields(cls: Class) -> bool:
    """Return whether the arguments of a class become attributes of their names."""
    over = {last_part(getattr(each, "func", each)) for each in cls.node.decorator_list}
    return over <= _FIELDS if over else "NamedTuple" in map(last_part, cls.node.bases)


def _chosen(value: ast.expr | None) -> list[ast.expr]:
    """Return the expressions of which one is the value."""
    match value:
        case ast.IfExp(body=body, orelse=orelse):
            return [*_chosen(body), *_chosen(orelse)]
        case None:
            return []
    return [value]


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


def _is_of_itertools(module: Module, func: ast.expr) -> bool:
    """Return whether a function makes an iterator of what it is given: `itertools.repeat`."""
    name = (
        ImportTime(module.tree).full_name(func)
        if isinstance(func, (ast.Name, ast.Attribute))
        else ""
    )
    return name.startswith("itertools.") and last_part(func) in _ITERATORS


def _formats(func: ast.expr) -> bool:
    """Return whether a call is of the `format` of a text that is written out."""
    match func:
        case ast.Attribute(value=ast.Constant(value=str()) | ast.JoinedStr(), attr="format"):
            return True
    return False


def _is_partial(module: Module, call: ast.Call) -> bool:
    """Return whether a call makes a partial by the library's own function."""
    if last_part(call.func) != "partial":
        return False
    return ImportTime(module.tree).full_name(call.func) == "functools.partial"


def _asks_by_text(call: ast.Call) -> bool:
    """Return whether `hasattr` may ask for something that functions have."""
    if last_part(call.func) != "hasattr":
        return False
    asked = call.args[1] if len(call.args) == 2 else None
    return not isinstance(asked, ast.Constant) or str(asked.value).startswith("__")


def _is_super(func: ast.expr) -> bool:
    match func:
        case ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr="__init__"):
            return True
    return False


def _by_position(named: list[str], call: ast.Call, node: ast.AST) -> str:
    if any(isinstance(each, ast.Starred) for each in call.args) or node not in call.args:
        return ""
    index = call.args.index(node)
    return named[index] if index < len(named) else ""


def _origin(statement: ast.AST, name: str) -> str:
    """Return the package from which a statement imports a name; empty where it does not."""
    if isinstance(statement, ast.ImportFrom):
        return (statement.module or "").partition(".")[0] if not statement.level else ""
    if isinstance(statement, ast.Import):
        for alias in statement.names:
            if (alias.asname or alias.name.partition(".")[0]) == name:
                return alias.name.partition(".")[0]
    return ""


__all__ = ["Known", "is_about", "known_as", "places_of"]
