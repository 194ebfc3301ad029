"""Where a function's value goes: by which names code of the project could ask something of it.

A place is an expression that may be the function, or a container that may hold it: what a container gives is
taken for what it holds. Attributes are followed by their names, of whatever object.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from dlfix.fixing.proof.flow_containers import GIVES, HOLDERS, Containers
from dlfix.fixing.proof.flow_fields import Place
from dlfix.fixing.proof.flow_targets import (
    CACHES,
    OF_CLASSES,
    TAKES,
    Targets,
    bindings_of,
    is_super,
)
from dlfix.fixing.proof.kept_unseen import kept_under, may_ask_it
from dlfix.fixing.proof.naming_calls import names_by
from dlfix.fixing.proof.program import Class, Program, whose_class
from dlfix.fixing.proof.syntax import FUNCTIONS, chosen, last_part, within
from dlfix.project.import_time import ImportTime
from dlfix.project.module import Module
from dlfix.project.syntax import defaults

_OF_HOLDERS = frozenset(name for kind in (list, tuple, set, dict) for name in dir(kind))
# Builtin functions that show nothing of what they are given, and those that give it, or its items.
_TESTS = frozenset({"isinstance", "len", "callable", "id", "hash", "bool", "super", "hasattr"})
_CONTAINERS = frozenset(
    "dict list tuple set frozenset enumerate zip reversed sorted iter next".split()
)
_UNIQUE = frozenset({"set", "frozenset", "id", "hash"})
_ASKS = frozenset({"getattr"})
_SHOW = frozenset({"print", "str", "repr", "format"})
_ITERATORS = frozenset("repeat cycle chain from_iterable islice product zip_longest".split())
_GIVEN_BY_PARTIAL = frozenset({"func", "args", "keywords"})
_FIELDS = frozenset({"dataclass", "define", "frozen", "mutable"})
# Special attributes that give the function again.
_SELF = frozenset({"__call__", "__func__", "__wrapped__", "__self__", "__dict__"})
_MOST_HOLDERS = 20  # objects that hold one value and are followed as well
_MOST = 2000  # places that one value is followed to


class Known(NamedTuple):
    """The names by which code could come to some functions.

    `anywhere` are functions, attributes, keys and keywords, which code of any module may use; a variable of a
    function stands with the file that has it. `unseen` is there where a library's object keeps one under a name that
    is not known.
    """

    anywhere: frozenset[str]
    variables: frozenset[tuple[Path, str]]
    unseen: Targets | None = None

    @property
    def names(self) -> frozenset[str]:
        """All of them."""
        return self.anywhere | {name for _, name in self.variables}

    def has(self, module: Module, node: ast.AST) -> bool:
        """Return whether a name or an attribute in a module is one of them."""
        if isinstance(node, ast.Attribute):
            return node.attr in self.anywhere
        if not isinstance(node, ast.Name):
            return False
        return node.id in self.anywhere or (module.path, node.id) in self.variables


class Changes(NamedTuple):
    """What code does to a function itself, as far as it is seen: the places."""

    marked: tuple[Place, ...]  # where an attribute of it is set
    bound: tuple[Place, ...]  # where a class gets it: it is a method of the objects
    compared: tuple[Place, ...]  # where one is told from another that was made by the same code
    named: tuple[Place, ...]  # where a library calls what it makes by the name of the function


def known_as(program: Program, module: Module, functions: Iterable[ast.AST]) -> Known | None:
    """Return the names by which code could come to some functions; None where it could be any name."""
    anywhere: set[str] = set()
    variables: set[tuple[Path, str]] = set()
    unseen: Targets | None = None
    for function in functions:
        flow = _Flow(program)
        if not flow.start(module, function) or not flow.run():
            return None
        anywhere |= flow.anywhere
        variables |= flow.variables
        unseen = flow.targets if flow.is_kept_unseen else unseen
    return Known(frozenset(anywhere), frozenset(variables), unseen)


def changes_of(program: Program, module: Module, function: ast.AST) -> Changes:
    """Return what code does to a function."""
    flow = _Flow(program)
    flow.start(module, function)
    flow.run_on()
    told = [*flow.told_apart()]
    holders = [*flow.holders]
    for holder in holders[:_MOST_HOLDERS]:
        inner = _Flow(program)
        inner.add(*holder)
        inner.run_on()
        told += inner.told_apart()
        holders += (each for each in inner.holders if each not in holders)
    named = flow.named if flow.is_listed else ()
    return Changes(tuple(flow.marked), tuple(flow.bound), tuple(told), tuple(named))


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
        if isinstance(above, ast.Match):
            asked = above.subject
        if isinstance(above, (ast.stmt, ast.Lambda)):
            break
        asked = above
        if isinstance(above, (ast.Call, ast.Compare)):
            break
    if any(known.has(module, each) for each in within(asked)):
        return True
    return known.unseen is not None and may_ask_it(known.unseen, module, node)


class _Flow(Containers):
    """The places that one function's value reaches, by assignments, arguments, containers and returns."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        # The text of a class says its name; that of a function differs from run to run.
        self.is_class = False
        self.marked: list[Place] = []
        self.bound: list[Place] = []
        self.unique: list[Place] = []
        self.compared: dict[Place, set[ast.AST]] = {}  # with the sides that it may be
        self.named: list[Place] = []
        self.is_kept_unseen = False  # whether a library may keep it under a name that is not known
        self.is_listed = False  # whether a list or a dict of some holds it
        self.holders: list[Place] = []  # objects that are equal where what they hold is

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
        return self.read(module, function, function.name) and bool(self.places)

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
        return all(self._goes(*each) for each in self._in_turn()) and len(self.places) <= _MOST

    def run_on(self) -> None:
        """Follow the value as far as it is seen, also past where it is lost."""
        for place in self._in_turn():
            self._goes(*place)

    def told_apart(self) -> Iterator[Place]:
        """Yield where the value is told from others of its kind: as a key, in a set, by a comparison."""
        yield from self.unique
        yield from (place for place, sides in self.compared.items() if len(sides) > 1)

    def _in_turn(self) -> Iterator[Place]:
        yield from itertools.islice(self.places, _MOST)  # grows while it is read

    def _goes(self, module: Module, place: ast.AST) -> bool:
        """Follow a value from one place; False where it is not known what becomes of it."""
        node, above, keyword = place, module.parent(place), ""
        while above is not None and self._is_part(above, node):
            if isinstance(above, ast.keyword):
                keyword = above.arg or keyword
            node, above = above, module.parent(above)
        match above:
            case None | ast.Expr() | ast.Delete():
                return True
            case ast.Compare():
                self.compared.setdefault((module, above), set()).add(node)
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
            case ast.SetComp():
                self.unique.append((module, above))
                self.add(module, above)
                return above.elt is node
            case ast.ListComp(elt=item) | ast.GeneratorExp(elt=item):
                self.is_listed |= item is node
                self.add(module, above)  # each item of it is one
                return item is node
            case ast.DictComp(value=item):
                self.add(module, above)
                self.note_key(above.key)
                return item is node
            case ast.Attribute(ctx=ast.Store()):
                self.marked.append((module, above))
                return True
            case ast.Attribute():
                return self._asked(module, above)
            case ast.arguments():
                return self._is_default(module, above, node)
            case ast.Subscript(value=value, slice=key) if value is node:
                self.take_item(module, above, key)
                return True
            case ast.Subscript(slice=key) if key is node:
                if isinstance(above.ctx, ast.Load):
                    return True  # gives what is kept under it
                self.unique.append((module, above))
            case ast.Dict():  # as a key
                self.unique.append((module, above))
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
                return self.put_into(module, target)
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
                self.note_key(keys[values.index(node)])
                return True
            case ast.List() | ast.Set():
                self.is_listed = True
        return isinstance(above, HOLDERS)

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
        if asked.attr in GIVES:
            self.take_item(module, call, next(iter(call.args), None))
        return True

    def _is_default(self, module: Module, parameters: ast.arguments, value: ast.AST) -> bool:
        """Follow the default of a parameter into the function."""
        function = module.parent(parameters)
        if not isinstance(function, FUNCTIONS) or function.decorator_list:
            return False
        names = [name for name, default in defaults(parameters).items() if default is value]
        return all(self.read(module, function.body[0], name) for name in names)

    def _bound(self, module: Module, target: ast.expr, around: ast.AST) -> bool:
        """Follow what an assignment or a loop binds, in the scope of a node."""
        match target:
            case ast.Name(id=name):
                if module.scope_of(around).is_class:
                    self.bound.append((module, target))
                return self.read(module, around, name)
            case ast.Attribute(value=owner):
                if self.program.class_of(module, owner) is not None or whose_class(owner):
                    self.bound.append((module, target))
                return self.kept_by(module, target)
            case ast.Subscript(value=held, slice=key):
                self.note_key(key)
                return self.put_into(module, held)
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
            return len(decorators) == 1 and self.kept(name, cls)
        if not all(self._only_calls(module, each) for each in function.decorator_list):
            return False
        if function in self.met:
            return True
        self.met.add(function)
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
        if last_part(func) in CACHES | OF_CLASSES or self.targets.is_of_library(module, func):
            return True
        return isinstance(func, ast.Attribute) and self.targets.is_nobodys(module, func)

    def _passed(self, module: Module, call: ast.Call, node: ast.AST, keyword: str) -> bool:
        """Follow an argument into the function that gets it."""
        if names_by(self.targets, module, call, node, keyword):
            self.named.append((module, call))
        if _is_builtin(module, call.func, _UNIQUE):
            self.unique.append((module, call))
        if _is_builtin(module, call.func, _TESTS):
            return not _asks_by_text(call)
        if _is_builtin(module, call.func, _ASKS) and call.args[:1] == [node]:
            return True  # a question, which others look for
        if _is_builtin(module, call.func, _SHOW) or _formats(call.func):
            return not self.is_class
        if _is_builtin(module, call.func, _CONTAINERS) or _is_of_itertools(module, call.func):
            self.is_listed |= last_part(call.func) == "list"
            if keyword and keyword != "key":
                self.note_key(ast.Constant(keyword))
            if keyword != "key":
                self.add(module, call)
            return True
        if _is_partial(module, call):
            return self._bound_by_partial(module, call, node, keyword)
        cls = self.targets.class_of(module, call.func)
        if cls is not None and _is_of_fields(cls):
            return self._given_to_field(module, call, node, keyword)
        if self.targets.is_of_library(module, call.func):
            return self._given_to_library(module, call, node, keyword)
        cached = self.targets.cached(module, call.func)
        if cached:
            self.unique.append((module, call))
        callees = (
            cached
            or self.targets.callees(module, call.func)
            or self.targets.methods(module, call.func)
        )
        if not callees and isinstance(call.func, ast.Attribute):
            kept = self.targets.kept_functions(call.func.attr)
            if kept is not None:
                return all(self._into(call, node, keyword, *each) for each in kept)
            if self.targets.is_nobodys(module, call.func):
                return not keyword or self.kept(keyword, None, by_library=True)
        if isinstance(call.func, ast.Attribute) and call.func.attr in TAKES:
            self.is_listed = True
            if keyword:
                self.note_key(ast.Constant(keyword))
            elif call.func.attr == "setdefault":
                if call.args[0] is node:
                    self.unique.append((module, call))
                    return True  # gives what is kept under it
                self.note_key(call.args[0] if call.args else None)
                self.add(module, call)
            elif call.func.attr == "add" and _is_set(module, call.func.value):
                self.unique.append((module, call))
            if not self.put_into(module, call.func.value):
                return False
            return all(self._into(call, node, keyword, *each) for each in callees)
        if not callees:
            return self._given_to_field(module, call, node, keyword)
        return all(self._into(call, node, keyword, *each) for each in callees)

    def _given_to_field(self, module: Module, call: ast.Call, node: ast.AST, keyword: str) -> bool:
        """Follow what becomes an attribute under its own name: a field of a data class, or by `setattr`."""
        match call:
            case ast.Call(func=ast.Name(id="setattr"), args=[owner, name, value]):
                if owner is node:
                    self.marked.append((module, call))
                    return True
                if self.program.class_of(module, owner) is not None:
                    self.bound.append((module, call))
                text = name.value if isinstance(name, ast.Constant) else None
                return value is node and isinstance(text, str) and self.kept(text, None)
        values = [each.value for each in bindings_of(module, call.func) if each.kind == "assign"]
        named = [each for value in values for each in chosen(value)] or [call.func]
        classes = [self.targets.class_of(module, each) for each in named]
        return all(self._is_field(cls, module, call, node, keyword) for cls in classes)

    def _is_field(
        self, cls: Class | None, module: Module, call: ast.Call, node: ast.AST, keyword: str
    ) -> bool:
        """Follow what a data class keeps under the name of a field."""
        if cls is None or not _is_of_fields(cls) or self.program.method(cls, "__init__"):
            return False
        fields = [f for each in reversed(self.program.lineage(cls)) for f in each.annotated]
        name = keyword or _by_position([*dict.fromkeys(fields)], call, node)
        if "NamedTuple" in map(last_part, cls.node.bases):
            self.add(module, call)  # its items are its fields
        elif _are_equal_by_fields(cls):
            self.holders.append((module, call))
        return bool(name) and self.kept(name, cls)

    def _bound_by_partial(
        self, module: Module, call: ast.Call, node: ast.AST, keyword: str
    ) -> bool:
        """Follow what a partial is of, or what it binds by keyword."""
        if call.args[:1] == [node]:
            self.add(module, call)
            return True
        found = self.targets.callee(module, call.args[0]) if call.args and keyword else None
        if found is None:
            return False
        self.anywhere.add("keywords")
        return self._into(call, node, keyword, *found) and self.kept(
            "keywords", None, by_library=True
        )

    def _given_to_library(
        self, module: Module, call: ast.Call, node: ast.AST, keyword: str
    ) -> bool:
        """Follow what the code of a library may keep under the name of an argument."""
        is_own = is_super(call.func) or self.program.class_of(module, call.func) is not None
        is_class = is_own or last_part(call.func)[:1].isupper()
        if isinstance(node, ast.keyword) and node.arg is None:
            names = self.keys
        else:
            names = {keyword} if keyword else set()
        if not names and not is_own:
            names = {*kept_under(module, call, node)}
        if not names:
            self.is_kept_unseen = True
            return not is_own
        self.anywhere |= names
        cls = self.program.class_of(module, call.func)
        if not is_class:
            return True
        return all(self.kept(each, cls, by_library=cls is None) for each in sorted(names))

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
            names = fitting if self.has_other_keys or not self.keys else fitting & self.keys
            names |= {others} - {""}
        elif isinstance(node, ast.Starred):
            names = {*named[call.args.index(node) :], rest} - {""}
        elif keyword:
            if keyword not in (*named, *only):
                self.note_key(ast.Constant(keyword))
            names = {keyword if keyword in (*named, *only) else others}
        else:
            names = {_by_position(named, call, node) or rest}
        return "" not in names and all(self.read(where, function.body[0], n) for n in names)


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


def _is_of_fields(cls: Class) -> bool:
    """Return whether the arguments of a class become attributes of their names."""
    over = {last_part(getattr(each, "func", each)) for each in cls.node.decorator_list}
    return over <= _FIELDS if over else "NamedTuple" in map(last_part, cls.node.bases)


def _are_equal_by_fields(cls: Class) -> bool:
    """Return whether objects of a data class are equal where their fields are, so that these make its hash."""
    options = [
        option
        for each in cls.node.decorator_list
        if isinstance(each, ast.Call)
        for option in each.keywords
    ]
    return "__eq__" not in cls.methods and not any(
        each.arg == "eq" and isinstance(each.value, ast.Constant) and not each.value.value
        for each in options
    )


def _is_set(module: Module, holder: ast.expr) -> bool:
    """Return whether a container is made as a set, as far as it is seen."""
    values = [each.value for each in bindings_of(module, holder)]
    if isinstance(holder, ast.Attribute):
        stores = module.stores_by_name.get(holder.attr, ())
        statements = [module.statement(each) for each in stores]
        values = [getattr(each, "value", None) for each in statements]
    return any(
        isinstance(each, (ast.Set, ast.SetComp)) or last_part(getattr(each, "func", None)) == "set"
        for each in values
    )


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


def _by_position(named: list[str], call: ast.Call, node: ast.AST) -> str:
    if any(isinstance(each, ast.Starred) for each in call.args) or node not in call.args:
        return ""
    index = call.args.index(node)
    return named[index] if index < len(named) else ""


__all__ = ["Changes", "Known", "Place", "changes_of", "is_about", "known_as", "places_of"]
