"""Objects that a dataset keeps, and the lines that change them in a worker."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dlfix.project.syntax import MUTATORS, Function, first_parameter, is_attribute_of, positional
from dlfix.project.trees import children, kept, walk
from dlfix.rules.base import Place

if TYPE_CHECKING:
    from dlfix.project.module import Module

_DEFINING = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)

_CHANGING = (MUTATORS | {"fill"}) - {"setdefault", "register"}  # once set, a default stays
_HARMLESS = frozenset({"requires_grad_", "share_memory_", "retain_grad_", "pin_memory_"})
_CONVERTING = frozenset({"bool", "float", "int", "list", "set", "str", "tuple"})
_GROWING = frozenset({"array", "tensor", "list"})  # `+=` changes these in place
_VIEWS = frozenset({"from_numpy", "asarray", "as_tensor", "asanyarray"})
_VIEWING = frozenset(  # methods of an array or tensor that give another view of the same numbers
    {"view", "reshape", "ravel", "squeeze", "unsqueeze", "transpose", "permute", "swapaxes"}
    | {"detach", "numpy", "narrow", "select"}
)
_NUMPY_FILLS = frozenset({"copyto", "put", "place", "putmask", "fill_diagonal"})
_SAME_NUMBERS = frozenset({"T", "mT", "H", "real", "imag", "data", "flat"})
_COUNTING = frozenset({"int", "len", "min", "max", "round", "divmod", "abs", "hash"})
_MOST_DEEP = 3
_OF_ITEMS = frozenset({"mean", "std", "var", "sum", "min", "max", "shape"})  # of an array
INDEXED = "an object whose own code runs when it is indexed"


@dataclass(frozen=True)
class Holder:
    """What is kept under an attribute: "container", "array" or "tensor", and what it holds.

    `element` is "dict", "list", "array", "tensor", `INDEXED` or "" where not known; `dimensions` is 0 where
    the number of an array's is not known.
    """

    kind: str
    element: str = ""
    dimensions: int = 0


@dataclass(frozen=True)
class Alias:
    """A name for something kept: where it was taken out, and how deep in the sample it lies."""

    source: ast.expr
    element: str
    depth: int = 0
    sure: bool = True  # `+=` on it changes it in place
    copied: bool = False  # it is a shallow copy of what is kept: only its parts are kept
    beneath: bool = False  # it lies in such a copy
    unproven: bool = False  # that copy may be one of an array, which has no parts of its own


@dataclass(frozen=True)
class Change:
    """A line that changes what an alias stands for; `through` are the calls that lead to it."""

    node: ast.AST
    alias: Alias
    form: str
    through: tuple[ast.AST, ...] = ()


@dataclass(frozen=True)
class Changed:
    """What the planner reads: where the sample is taken out, and which copy is enough."""

    place: Place
    source_place: Place
    module: Module
    function: Function
    source: ast.expr
    form: str
    uses: tuple[ast.expr, ...] = ()
    before: ast.stmt | None = None
    shallow: ast.Call | None = None  # the copy of the sample that shares what is changed
    refused: str = ""


Kept = Callable[[str], Holder | None]


@dataclass(frozen=True)
class Called:
    """A function that a call runs, how many arguments the call does not spell, and its own calls."""

    function: Function
    offset: int
    callee: Callee


Callee = Callable[[ast.Call], Sequence[Called]]


class Reader:
    """Goes through one function in order, and notes what it changes of what is kept."""

    def __init__(self, function: Function, kept: Kept, callee: Callee, depth: int = 0) -> None:
        self._function, self._kept, self._callee, self._depth = function, kept, callee, depth
        self._aliases: dict[str, Alias] = {}
        self._guards: list[ast.expr] = []
        self._found: list[Change] = []
        self._returned: list[Alias | None] = []
        self._given: dict[ast.Call, Alias | None] = {}
        self._numbers = set(positional(function))
        self._me = first_parameter(function)

    def changes(self, aliases: dict[str, Alias] | None = None) -> list[Change]:
        """Return the changes, in order of place."""
        self._aliases = dict(aliases or {})
        self._block(self._function.body)
        return self._found

    def _block(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            self._statement(statement)

    def _statement(self, statement: ast.stmt) -> None:
        match statement:
            case ast.If(test=test, body=body, orelse=orelse):
                self._calls(test)
                self._branches(test, body, orelse)
            case ast.For(target=target, iter=source, body=body, orelse=orelse):
                self._calls(source)
                self._looped(target, source, body)
                self._block([*body, *orelse])
            case ast.While(body=body, orelse=orelse):
                self._block([*body, *orelse])
            case ast.With(body=body):
                self._block(body)
            case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=final):
                self._block(body)
                for handler in handlers:
                    self._handled(handler)
                self._block([*orelse, *final])
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                pass
            case _:
                self._simple(statement)

    def _handled(self, handler: ast.ExceptHandler) -> None:
        """What is put there where looking it up failed is a cache being filled."""
        if not (handler.type is not None and _is_about_absence(handler.type)):
            self._block(handler.body)

    def _branches(self, test: ast.expr, body: list[ast.stmt], orelse: list[ast.stmt]) -> None:
        before = dict(self._aliases)
        self._guards.append(test)
        self._block(body)
        one = self._aliases
        self._aliases = dict(before)
        self._block(orelse)
        self._guards.pop()
        self._aliases = {
            name: alias for name, alias in self._aliases.items() if one.get(name) == alias
        }

    def _simple(self, statement: ast.stmt) -> None:
        self._calls(statement)
        match statement:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    self._stored(target, value, statement)
                    self._bound(target, value)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self._stored(target, value, statement)
                self._bound(target, value)
            case ast.AugAssign(target=target, value=value):
                self._augmented(target, value, statement)
            case ast.Return(value=ast.expr() as value):
                self._returned.append(self._alias(value))
            case ast.Delete(targets=targets):
                for target in targets:
                    self._stored(target, None, statement)

    def _bound(self, target: ast.expr, value: ast.expr) -> None:
        match target:
            case ast.Name(id=name):
                alias, is_number = self._alias(value), self._is_number(value)
                self._aliases.pop(name, None)
                self._numbers.discard(name)
                if alias is not None:
                    self._aliases[name] = alias
                elif is_number:
                    self._numbers.add(name)
            case ast.Tuple(elts=elements) if _is_pairwise(elements, value):
                for element, part in zip(elements, value.elts, strict=True):  # type: ignore[attr-defined]
                    self._bound(element, part)
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                alias, is_number = self._alias(value), self._is_number(value)
                for element in elements:
                    if isinstance(element, ast.Name):
                        self._aliases.pop(element.id, None)
                        self._numbers.discard(element.id)
                        if is_number:
                            self._numbers.add(element.id)
                        if alias is not None and alias.element not in ("array", "tensor"):
                            self._aliases[element.id] = _deeper(alias)

    def _looped(self, target: ast.expr, source: ast.expr, body: list[ast.stmt]) -> None:
        for name in (n.id for n in walk(target) if isinstance(n, ast.Name)):
            self._aliases.pop(name, None)
        alias = self._alias(source)
        match target, source:
            case ast.Name(id=name), _ if alias is not None:
                self._aliases[name] = replace(_deeper(alias), sure=alias.element == "tensor")
            case ast.Name(id=name), ast.Attribute() | ast.Subscript() if _yields(body, name):
                self._gone_through(target, name, source)
            case ast.Tuple(elts=[_, ast.Name(id=name) as item]), ast.Call(
                func=ast.Name("enumerate"), args=[through, *_]
            ) if _yields(body, name):
                self._gone_through(item, name, through)

    def _gone_through(self, item: ast.expr, name: str, source: ast.expr) -> None:
        """Take each item of what is kept for a sample, where it is handed out itself."""
        if isinstance(source, ast.Subscript) and isinstance(source.slice, ast.Slice):
            source = source.value
        holder = self._holder(source) if isinstance(source, ast.Attribute) else None
        if holder is not None and holder.kind == "container":
            self._aliases[name] = Alias(item, holder.element, sure=holder.element in _GROWING)

    def _alias(self, value: ast.expr) -> Alias | None:
        """Return what of the kept an expression stands for, itself and not a copy."""
        match value:
            case ast.Name(id=name):
                return self._aliases.get(name)
            case ast.Subscript(value=ast.Attribute() as holder, slice=index) if self._holder(
                holder
            ):
                return self._taken(value, holder, index)
            case ast.Subscript(value=inner, slice=index):
                alias = self._alias(inner)
                return _part(alias, index) if alias is not None else None
            case ast.Attribute(value=inner, attr=name):
                alias = self._alias(inner)
                if alias is None or (_has_numbers(alias) and name not in _SAME_NUMBERS):
                    return None
                return _deeper(alias)
            case ast.Call(func=ast.Attribute(attr=name), args=[inner, *_]) if name in _VIEWS:
                alias = self._alias(inner)
                known = alias is not None and alias.element in ("array", "tensor")
                return alias if known else None
            case ast.Call(func=ast.Attribute(value=inner, attr=name)) if (
                name in _VIEWING and (alias := self._alias(inner)) is not None
            ):
                return alias if alias.element in ("array", "tensor") else None
            case ast.Call() if (original := copied(value)) is not None:
                return _shallow(self._alias(original), value)
            case ast.Call():
                if value not in self._given:
                    self._given[value] = None  # while it is looked for
                    self._given[value] = self._given_back(value)
                return self._given[value]
        return None

    def _given_back(self, call: ast.Call) -> Alias | None:
        """Return what a call gives back of what it gets, or takes out of the same object."""
        given = self._aliases_given(call)
        is_own = isinstance(call.func, ast.Attribute) and _is_named(call.func.value, self._me)
        if self._depth > _MOST_DEEP or not (given or (is_own and self._depth == 0)):
            return None
        found = self._callee(call)
        if len(found) != 1 or _yields_anything(found[0].function):
            return None
        if not given:
            return self._taken_out_by(found[0], call)
        return self._reader(found[0]).returned(_by_parameter(found[0], given))

    def _taken_out_by(self, called: Called, call: ast.Call) -> Alias | None:
        """Return what a method of the same object takes out, where it does nothing else."""
        match called.function.body:
            case [ast.Return(value=ast.Subscript() as taken)]:
                pass
            case [ast.Expr(ast.Constant()), ast.Return(value=ast.Subscript() as taken)]:
                pass
            case _:
                return None
        alias = Reader(called.function, self._kept, called.callee)._alias(taken)
        return None if alias is None else replace(alias, source=call)

    def returned(self, aliases: dict[str, Alias]) -> Alias | None:
        """Return what is given back by every `return`, None where they differ."""
        self.changes(aliases)
        first = self._returned[0] if self._returned else None
        return first if all(each == first for each in self._returned) else None

    def _reader(self, called: Called) -> Reader:
        return Reader(called.function, self._kept, called.callee, self._depth + 1)

    def _aliases_given(self, call: ast.Call) -> dict[int | str, Alias]:
        """Return what of the kept a call gets, by place or name of the argument."""
        passed: list[tuple[int | str | None, ast.expr]] = [*enumerate(call.args)]
        passed += [(keyword.arg, keyword.value) for keyword in call.keywords]
        return {
            place: alias
            for place, argument in passed
            if place is not None and (alias := self._alias(argument)) is not None
        }

    def _holder(self, node: ast.Attribute) -> Holder | None:
        if not is_attribute_of(node, self._me):
            return None
        return self._kept(node.attr) if self._depth == 0 else None

    def _taken(self, value: ast.expr, node: ast.Attribute, index: ast.expr) -> Alias | None:
        holder = self._holder(node)
        if holder is None or self._fills(node.attr):
            return None
        if holder.kind == "container":
            if isinstance(index, ast.Slice):
                return None
            return Alias(value, holder.element, sure=holder.element in _GROWING)
        if not self._is_basic(index):
            return None
        parts = index.elts if isinstance(index, ast.Tuple) else [index]
        is_part = any(isinstance(each, ast.Slice) for each in parts)
        sure = holder.kind == "tensor" or holder.dimensions > 1 or is_part
        return Alias(value, holder.kind, sure=sure)

    def _fills(self, attribute: str) -> bool:
        """Return whether this function puts things under the attribute itself, and not only what is missing."""
        missing: set[ast.AST] = set()
        for node in walk(self._function):
            match node:
                case ast.If(test=ast.Compare(ops=[ast.NotIn()], comparators=[held])):
                    if getattr(held, "attr", "") == attribute:
                        missing |= {inner for each in node.body for inner in walk(each)}
        for node in walk(self._function):
            match node:
                case ast.Assign(targets=[ast.Subscript(value=ast.Attribute(attr=name))]) if (
                    name == attribute and node not in missing
                ):
                    return True
        return False

    def _is_basic(self, index: ast.expr) -> bool:
        """Return whether an index gives a view of an array, not a copy."""
        if isinstance(index, ast.Tuple):
            return all(self._is_basic(each) for each in index.elts)
        return isinstance(index, ast.Slice) or self._is_number(index)

    def _is_number(self, node: ast.expr) -> bool:
        """Return whether an expression is worked out of nothing but numbers."""
        match node:
            case ast.Constant(value=value):
                return isinstance(value, int) or value is Ellipsis
            case ast.Name(id=name):
                return name in self._numbers
            case ast.BinOp(left=left, right=right):
                return self._is_count(left) and self._is_count(right)
            case ast.UnaryOp(operand=operand):
                return self._is_count(operand)
            case ast.Call(func=ast.Name(id=name)):
                return name in _COUNTING
        return False

    def _is_count(self, node: ast.expr) -> bool:
        own = isinstance(node, ast.Attribute) and _is_named(node.value, self._me)
        return own or self._is_number(node)

    # What changes

    def _stored(self, target: ast.expr, value: ast.expr | None, statement: ast.stmt) -> None:
        match target:
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                for element in elements:
                    self._stored(element, None, statement)
            case ast.Subscript(value=ast.Attribute() as holder) if self._holder(holder):
                if value is not None and self._remakes(target, value):
                    self._note(statement, Alias(target, ""), "deep")
            case ast.Subscript(value=inner, slice=key):
                alias = self._alias(inner)
                if alias is not None and not _same_again(target, value):
                    self._note(statement, _proven(alias, key), _form(alias, key))
            case ast.Attribute(value=inner):
                alias = self._alias(inner)
                if alias is not None and not _same_again(target, value):
                    self._note(statement, alias, "deep" if alias.depth else "shallow")

    def _remakes(self, target: ast.expr, value: ast.expr) -> bool:
        """Return whether a kept sample is replaced by what is made of itself, and handed out."""
        text = ast.unparse(target)
        reads = any(ast.unparse(node) == text for node in walk(value) if _is_expression(node))
        return reads and not isinstance(target, ast.Name) and self._hands_out(text)

    def _hands_out(self, text: str) -> bool:
        for node in walk(self._function):
            if isinstance(node, ast.Return | ast.Yield) and node.value is not None:
                values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
                if any(ast.unparse(each) == text for each in values):
                    return True
        return False

    def _augmented(self, target: ast.expr, value: ast.expr, statement: ast.stmt) -> None:
        match target:
            case ast.Name(id=name):
                alias = self._aliases.get(name)
                if alias is not None and (alias.sure or self._has_items(name, alias)):
                    self._note(statement, alias, _whole(alias))
            case ast.Subscript(value=ast.Attribute() as holder) if self._holder(holder):
                if self._hands_out(ast.unparse(target)):
                    self._note(statement, Alias(target, ""), "deep")
            case ast.Subscript(value=inner, slice=key):
                alias = self._alias(inner)
                if alias is not None:
                    plain = isinstance(value, ast.Constant) and isinstance(value.value, str)
                    shallow = plain or alias.element in ("array", "tensor")
                    self._note(statement, alias, _form(alias, key) if shallow else "deep")
            case ast.Attribute(value=inner):
                alias = self._alias(inner)
                if alias is not None:
                    self._note(statement, alias, "deep")

    def _has_items(self, name: str, alias: Alias) -> bool:
        """Return whether what was taken out of an array is an array itself: it has items, or they are summed up."""
        return alias.element == "array" and any(
            isinstance(node, (ast.Subscript, ast.Attribute))
            and (isinstance(node, ast.Subscript) or node.attr in _OF_ITEMS)
            and _is_named(node.value, name)
            for node in walk(self._function)
        )

    def _calls(self, tree: ast.AST) -> None:
        for node in _own_calls(tree):
            self._call(node)

    def _call(self, call: ast.Call) -> None:
        match call.func:
            case ast.Attribute(value=inner, attr=name) if _changes_in_place(name, call):
                alias = self._alias(inner)
                if alias is not None:
                    self._note(call, alias, _method_form(alias, name))
        if call.args and _fills_first(call):
            alias = self._alias(call.args[0])
            if alias is not None:
                self._note(call, alias, _whole(alias))
        for keyword in call.keywords:
            alias = self._alias(keyword.value) if keyword.arg == "out" else None
            if alias is not None:
                self._note(call, alias, _whole(alias))
        self._followed(call)

    def _followed(self, call: ast.Call) -> None:
        given = self._aliases_given(call)
        if not given or self._depth > _MOST_DEEP:
            return
        for called in self._callee(call):
            for change in self._reader(called).changes(_by_parameter(called, given)):
                if not self._is_guarded(change.alias):
                    self._found.append(replace(change, through=(call, *change.through)))

    def _note(self, node: ast.AST, alias: Alias, form: str) -> None:
        if not (alias.copied or alias.unproven or self._is_guarded(alias)):
            self._found.append(Change(node, alias, form))

    def _is_guarded(self, alias: Alias) -> bool:
        """Return whether it happens only while something is not there yet: a cache being filled."""
        return any(_asks_for_absence(test, set(self._aliases)) for test in self._guards)


def _by_parameter(called: Called, given: dict[int | str, Alias]) -> dict[str, Alias]:
    arguments = called.function.args
    names = [each.arg for each in [*arguments.posonlyargs, *arguments.args]]
    named = {each.arg for each in [*arguments.args, *arguments.kwonlyargs]}
    found: dict[str, Alias] = {}
    for place, alias in given.items():
        if isinstance(place, str):
            found |= {place: alias} if place in named else {}
        elif place + called.offset < len(names):
            found[names[place + called.offset]] = alias
    return found


def _fills_first(call: ast.Call) -> bool:
    """Return whether a call changes its first argument: `np.copyto(x, y)`, `F.relu(x, inplace=True)`."""
    for keyword in call.keywords:
        match keyword:
            case ast.keyword(arg="inplace", value=ast.Constant(value=True)):
                return True
            case ast.keyword(arg="copy", value=ast.Constant(value=False)):
                return ast.unparse(call.func).endswith("nan_to_num")
    match call.func:
        case ast.Attribute(value=ast.Name("np" | "numpy"), attr=name) if name in _NUMPY_FILLS:
            return True
        case ast.Attribute(attr=name):
            return name == "shuffle"
    return False


def _is_named(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _yields_anything(function: Function) -> bool:
    return any(isinstance(node, ast.Yield | ast.YieldFrom) for node in walk(function))


def _asks_for_absence(test: ast.expr, aliases: set[str]) -> bool:
    for node in walk(test):
        match node:
            case ast.Compare(ops=[ast.NotIn()]):
                return True
            case ast.Compare(ops=[ast.Is() | ast.Eq()], comparators=[ast.Constant(value=None)]):
                return True
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                if _names(operand) & (aliases | {"hasattr"}):
                    return True
    return False


def _yields(body: list[ast.stmt], name: str) -> bool:
    return any(
        isinstance(node, ast.Yield) and node.value is not None and name in _names(node.value)
        for statement in body
        for node in walk(statement)
    )


def _is_about_absence(caught: ast.expr) -> bool:
    return bool(_names(caught) & {"KeyError", "AttributeError", "IndexError", "LookupError"})


def _is_pairwise(targets: list[ast.expr], value: ast.expr) -> bool:
    return isinstance(value, ast.Tuple) and len(value.elts) == len(targets)


def _names(tree: ast.AST) -> set[str]:
    return {node.id for node in walk(tree) if isinstance(node, ast.Name)}


def _has_numbers(alias: Alias) -> bool:
    return alias.element in ("array", "tensor")


def _part(alias: Alias, index: ast.expr) -> Alias | None:
    """Return the part that an index gives itself: no copy of some items, as a list's slice is."""
    if alias.element == INDEXED:
        return None
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    sliced = [isinstance(each, ast.Slice) for each in parts]
    if not _has_numbers(alias):
        return None if any(sliced) else _proven(_deeper(alias), index)
    if not all(isinstance(each, ast.Slice | ast.Constant | ast.UnaryOp) for each in parts):
        return None
    may_be_number = alias.element == "array" and not all(sliced)
    return replace(alias, sure=alias.sure and not may_be_number)


def _deeper(alias: Alias) -> Alias:
    if _has_numbers(alias):
        return alias
    beneath = alias.copied or alias.beneath
    return Alias(
        alias.source,
        "",
        alias.depth + 1,
        sure=False,
        beneath=beneath,
        unproven=alias.unproven,
    )


def copied(call: ast.Call) -> ast.expr | None:
    """Return what a call makes a shallow copy of: `copy.copy(row)`, `dict(row)`, `row.copy()`."""
    match call:
        case ast.Call(func=ast.Name("dict" | "list") | ast.Attribute(attr="copy"), args=[inner]):
            return inner
        case ast.Call(func=ast.Name("copy"), args=[inner], keywords=[]):
            return inner
        case ast.Call(func=ast.Attribute(value=inner, attr="copy"), args=[], keywords=[]):
            return inner
    return None


def _shallow(alias: Alias | None, call: ast.Call) -> Alias | None:
    """Return what a shallow copy of something kept is: its parts are kept, not what is copied whole."""
    if alias is None or alias.element == INDEXED or _has_numbers(alias):
        return None
    proven = bool(alias.element) or (isinstance(call.func, ast.Name) and call.func.id == "dict")
    return replace(alias, copied=True, unproven=alias.unproven or not proven)


def _proven(alias: Alias, key: ast.expr) -> Alias:
    """Return an alias that is, or is set, under a text key: what has one is a dict, whose copies share its parts."""
    is_text = isinstance(key, ast.Constant) and isinstance(key.value, str)
    return replace(alias, unproven=False) if is_text else alias


def _form(alias: Alias, key: ast.expr) -> str:
    if alias.depth:
        return "deep"
    if alias.element:
        return _whole(alias)
    named = isinstance(key, ast.Constant) and isinstance(key.value, str)
    return "shallow" if named else "deep"


def _whole(alias: Alias) -> str:
    forms = {"dict": "dict", "list": "list", "array": "copy", "tensor": "clone"}
    return "deep" if alias.depth else forms.get(alias.element, "deep")


def _method_form(alias: Alias, name: str) -> str:
    if alias.depth:
        return "deep"
    if alias.element:
        return _whole(alias)
    return "clone" if name.endswith("_") else "shallow"


def _changes_in_place(name: str, call: ast.Call) -> bool:
    if name in _CHANGING:
        return True
    return name.endswith("_") and not name.startswith("_") and name not in _HARMLESS


def _same_again(target: ast.expr, value: ast.expr | None) -> bool:
    """Return whether storing this a second time changes nothing: `row.ids = row.ids[:n]`."""
    match value:
        case ast.Constant():
            return isinstance(target, ast.Attribute)
        case ast.Subscript(value=inner, slice=ast.Slice(lower=None, upper=ast.expr(), step=None)):
            upper = ast.unparse(value.slice.upper)  # type: ignore[attr-defined]
            itself = ast.unparse(target)
            return ast.unparse(inner) == itself and itself not in upper and "-" not in upper
        case ast.Call(func=ast.Name(id=name), args=[inner], keywords=[]) if name in _CONVERTING:
            return ast.unparse(inner) == ast.unparse(target)
    return False


def _is_expression(node: ast.AST) -> bool:
    return isinstance(node, ast.Subscript)


@kept
def _own_calls(tree: ast.AST) -> tuple[ast.Call, ...]:
    found: list[ast.Call] = []
    pending = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Call):
            found.append(node)
        inner = [each for each in children(node) if not isinstance(each, _DEFINING)]
        pending += reversed(inner)
    return tuple(found)
