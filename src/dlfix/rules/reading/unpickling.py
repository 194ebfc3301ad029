"""Objects that pickle writes and cannot make again.

Pickle makes an object with `__new__` and passes it no argument, or the whole value of a built-in one; or it calls
what `__reduce__` returns, with the arguments there.

A `__getattr__` can run without end meanwhile: pickle makes an object without its constructor and asks it for
`__setstate__` before it has any attribute. If the class has no such method, Python calls `__getattr__`; an attribute
that it reads of the object is missing too, so that Python calls `__getattr__` again. The body is read here as it runs
for one name, and only what surely runs counts. One that gives a value for any name gives one for `__setstate__`,
which pickle calls.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dlfix.catalog import ResourceRow
from dlfix.project.name_tests import holds
from dlfix.project.syntax import FUNCTIONS
from dlfix.project.targets import surely_asks_for_state
from dlfix.reach.values import Class, External, Instance
from dlfix.rules.base import Place

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis
    from dlfix.reach.crossing import Crossing
    from dlfix.reach.values import Function

# Methods with which a class says how its objects are made again.
OWN_MAKING = ("__getnewargs__", "__getnewargs_ex__", "__reduce__", "__reduce_ex__")
_OWN_PICKLING = (*OWN_MAKING, "__new__", "__setstate__", "__getattribute__")
_STATE_METHODS = ("__getstate__", "__reduce__", "__reduce_ex__", "__getattribute__")
# Methods of a mapping that raise KeyError, or give None, for a key that is not there.
_LOOKUPS = frozenset({"__getitem__", "__missing__", "get", "pop"})
# Bases that bring no attribute and no way of their own to be pickled.
_EMPTY = frozenset({"object", "abc.ABC", "typing.Generic", "typing.Protocol"})
_BARE = _EMPTY | frozenset(
    {f"torch.utils.data.{name}" for name in ("Dataset", "IterableDataset", "Sampler")}
)
# Bases whose objects are pickled with their whole value.
_VALUES = frozenset(
    {"tuple", "str", "bytes", "int", "float", "complex", "frozenset", "typing.Tuple"}
)
_CATCHING_ALL = frozenset({"Exception", "BaseException", "RuntimeError", "RecursionError"})

_SIMPLE = (ast.Expr, ast.Assign, ast.AnnAssign, ast.Assert, ast.Pass, ast.Import, ast.ImportFrom)
_NOTHING = (ast.Pass(),)
_PLAIN = (ast.Constant, ast.Name, ast.Lambda)  # what raises no AttributeError


@dataclass(frozen=True)
class EndlessLookup:
    """The class whose `__getattr__` reads a missing attribute, and where; or answers for `__setstate__` itself."""

    name: str
    attribute: str  # the missing one, empty where it answers
    cls: Place
    place: Place
    typed: bool
    asked: str  # the parameter of `__getattr__`
    crossing: Crossing = field(compare=False)


def endless_lookup(analysis: Analysis, crossing: Crossing) -> EndlessLookup | None:
    """Return what makes an object's unpickling end in an error, or without its state; None where that is not certain."""
    value = crossing.value
    if not isinstance(value, Instance) or value.cls in analysis.interpreter.instances.registered:
        return None
    hook = analysis.method(value.cls, "__getattr__")
    if hook is None or not isinstance(hook.node, ast.FunctionDef) or hook.node.decorator_list:
        return None
    if len(hook.node.args.args) != 2 or not analysis.stores(value):
        return None
    present = _present(analysis, value)
    if present is None:
        return None
    lookup = _Lookup(hook.node, present)
    answer = lookup.answer("__setstate__")
    read = lookup.endless("__setstate__", ()) if answer is None else None
    owner = _owner(analysis, value, hook)
    asked = answer or read
    if asked is None or owner is None:
        return None
    return EndlessLookup(
        owner.name,
        read.attr if read is not None else "",
        owner.module.place(owner.node),
        hook.module.place(asked),
        hook.node.returns is not None,
        lookup.asked,
        crossing,
    )


def raises_for_state(analysis: Analysis, value: Instance) -> tuple[Class, ast.AST] | None:
    """Return the class, and where, whose `__getattr__` gives something for `__getstate__`, or another error than pickle expects.

    Pickle asks an object for `__getstate__` before Python 3.11, where no object has one of its own.
    """
    if value.cls in analysis.interpreter.instances.registered:
        return None
    line = [base for base in analysis.mro(value.cls) if isinstance(base, Class)]
    if any(name in base.body_names() for base in line for name in _STATE_METHODS):
        return None
    for base in line:
        bindings = base.module.inner_scope(base.node).bindings.get("__getattr__")
        if bindings:
            node = bindings[-1].node
            answers = _answers_for_state(bindings[-1].value or node)
            return (base, bindings[-1].value or node) if answers and len(bindings) == 1 else None
    return None


def asked_for_state(value: Instance, analysis: Analysis) -> ResourceRow | None:
    """Return the row of an object that cannot be pickled before Python 3.11, on which its project says that it runs."""
    found = raises_for_state(analysis, value)
    if found is None or not surely_asks_for_state(value.cls.module.path):
        return None
    line = analysis.interpreter.instances.mro(value.cls)
    known = {base.name.removeprefix("builtins.") for base in line if isinstance(base, External)}
    if not known <= _BARE | {"dict"} or any(not isinstance(b, (Class, External)) for b in line):
        return None
    owner, node = found
    place = f"{owner.module.path.name}:{getattr(node, 'lineno', 1)}"
    return ResourceRow(
        value.cls.name,
        kind="state",
        error="KeyError: '__getstate__'"
        if _raises_key_error(node)
        else "TypeError: 'NoneType' object is not callable",
        action="report",
        note="`__getattr__` does not raise AttributeError for `__getstate__`, which pickle looks for "
        f"before Python 3.11 ({place})",
    )


def _raises_key_error(hook: ast.AST) -> bool:
    """Return whether what a class has for `__getattr__` looks a name up without a default."""
    return any(
        isinstance(each, ast.Subscript)
        or (isinstance(each, ast.Attribute) and each.attr in ("__getitem__", "pop"))
        for each in ast.walk(hook)
    )


def _answers_for_state(hook: ast.AST) -> bool:
    """Return whether what a class has for `__getattr__` raises no AttributeError for a name that is not there."""
    match hook:
        case ast.Attribute(attr=attribute):
            return attribute in _LOOKUPS
        case ast.Lambda(args=ast.arguments(args=[_, asked]), body=body):
            return isinstance(body, ast.Constant) or _looks_up(body, asked.arg)
        case ast.FunctionDef(args=ast.arguments(args=[_, asked]), decorator_list=[]):
            match hook.body[1:] if ast.get_docstring(hook, clean=False) is not None else hook.body:
                case [ast.Return(value=ast.expr() as returned)] if _looks_up(returned, asked.arg):
                    return True
            return _Lookup(hook, frozenset()).answer("__getstate__") is not None
    return False


def _looks_up(node: ast.expr, asked: str) -> bool:
    """Return whether an expression is an item of a mapping under a name, or what `get` gives for it."""
    match node:
        case ast.Subscript(slice=ast.Name(id=name)):
            return name == asked
        case ast.Call(func=ast.Attribute(attr=how), args=[*_, ast.Name(id=name)]):
            return how in _LOOKUPS and name == asked
        case ast.Call(func=ast.Attribute(attr="get"), args=[ast.Name(id=name), _]):
            return name == asked
    return False


def made_with_arguments(value: Instance, analysis: Analysis) -> ResourceRow | None:
    """Return the row of an object of a class whose `__new__` takes other arguments than pickle passes.

    That is none, or the whole value of a tuple or text, as `__getnewargs__` of the built-in class says.
    """
    line = analysis.interpreter.instances.mro(value.cls)
    known = {base.name.removeprefix("builtins.") for base in line if isinstance(base, External)}
    new = analysis.method(value.cls, "__new__")
    is_value = bool(known & _VALUES)
    known_whole = known <= (_VALUES | _EMPTY if is_value else _BARE)
    if new is None or not known_whole or any(not isinstance(b, (Class, External)) for b in line):
        return None
    if value.cls in analysis.interpreter.instances.registered:
        return None
    own = (*OWN_MAKING, "__getstate__") if is_value else OWN_MAKING
    if any(analysis.method(value.cls, name) is not None for name in own):
        return None
    signature = new.node.args
    positional = [*signature.posonlyargs, *signature.args][1:]
    needed = positional[: len(positional) - len(signature.defaults)]
    if len(needed) <= is_value:
        return None
    count, last = len(needed) - is_value, needed[-1].arg
    missing = f"missing {count} required positional argument{'s' if count > 1 else ''}"
    error = f"TypeError: {value.cls.name}.__new__() {missing}"
    error += f": '{last}'" if count == 1 else ""
    note = (
        "`__new__` takes arguments that pickle does not pass; define `__getnewargs__` "
        "or `__reduce__`"
    )
    return ResourceRow(value.cls.name, kind="state", error=error, action="report", note=note)


def reduced_to_other_arguments(value: Instance, analysis: Analysis) -> ResourceRow | None:
    """Return the row of an object whose `__reduce__` calls its class with arguments that `__init__` does not take."""
    reduced = _reduction(value, analysis)
    if reduced is None or value.cls in analysis.interpreter.instances.registered:
        return None
    method, called, given = reduced
    made = _made_by(called, method, value, analysis)
    init = analysis.method(made, "__init__") if made is not None else None
    if made is None or init is None or not _is_called(made, analysis):
        return None
    trouble = _not_taken(init, len(given))
    if not trouble:
        return None
    place = method.module.place(given[0] if given else method.node)
    note = (
        "`__reduce__` does not pass the arguments that `__init__` takes "
        f"({place.path.name}:{place.span.start.row})"
    )
    error = f"TypeError: {made.name}.__init__() {trouble}"
    return ResourceRow(value.cls.name, kind="state", error=error, action="report", note=note)


def _not_taken(init: Function, count: int) -> str:
    """Return what Python says of so many arguments; nothing where a constructor takes them."""
    node = init.node
    if not isinstance(node, ast.FunctionDef) or node.decorator_list or node.args.vararg:
        return ""
    names = [each.arg for each in (*node.args.posonlyargs, *node.args.args)][1:]
    needed = names[: len(names) - len(node.args.defaults)]
    if count > len(names):
        most, least = len(names) + 1, len(needed) + 1
        takes = f"{most} positional argument{'s' * (most > 1)}"
        takes = takes if most == least else f"from {least} to {takes}"
        return f"takes {takes} but {count + 1} were given"
    lacking = needed[count:]
    missing = f"missing {len(lacking)} required positional argument{'s' * (len(lacking) > 1)}"
    missing += f": '{lacking[0]}'" if len(lacking) == 1 else ""
    return missing if lacking else ""


def _reduction(
    value: Instance, analysis: Analysis
) -> tuple[Function, ast.expr, list[ast.expr]] | None:
    """Return the method that says how an object is made again, what it has pickle call, and with what."""
    method = analysis.method(value.cls, "__reduce_ex__") or analysis.method(value.cls, "__reduce__")
    returned = _only_returned(method)
    match returned:
        case ast.Call(func=ast.Attribute(value=ast.Name("self"), attr="__reduce__"), args=[]):
            method = analysis.method(value.cls, "__reduce__")
            returned = _only_returned(method)
    match returned:
        case ast.Tuple(elts=[called, ast.Tuple(elts=given), *_]) if method is not None:
            spread = any(isinstance(each, ast.Starred) for each in (called, *given))
            return None if spread else (method, called, given)
    return None


def _only_returned(method: Function | None) -> ast.expr | None:
    """Return what a method returns that does nothing else."""
    if method is None or not isinstance(method.node, ast.FunctionDef) or method.node.decorator_list:
        return None
    body = method.node.body
    body = body[1:] if ast.get_docstring(method.node, clean=False) is not None else body
    match body:
        case [ast.Return(value=returned)]:
            return returned
    return None


def _made_by(
    called: ast.expr, method: Function, value: Instance, analysis: Analysis
) -> Class | None:
    """Return the class that an expression of a method names."""
    match called:
        case ast.Attribute(value=ast.Name("self"), attr="__class__"):
            return value.cls
        case ast.Call(func=ast.Name("type"), args=[ast.Name("self")], keywords=[]):
            return value.cls
    frame = analysis.frame(method.module.inner_scope(method.node))
    found = [reached.value for reached in analysis.evaluate(called, frame)]
    return found[0] if len(found) == 1 and isinstance(found[0], Class) else None


def _is_called(cls: Class, analysis: Analysis) -> bool:
    """Return whether calling a class surely runs its `__init__` with the arguments as they are."""
    for base in analysis.mro(cls):
        if isinstance(base, Class):
            if base.node.decorator_list or base.node.keywords or "__new__" in base.body_names():
                return False
        elif not isinstance(base, External) or base.name.removeprefix("builtins.") not in _BARE:
            return False
    return True


def _owner(analysis: Analysis, value: Instance, hook: Function) -> Class | None:
    line = analysis.mro(value.cls)
    return next((c for c in line if isinstance(c, Class) and hook.node in c.node.body), None)


def _present(analysis: Analysis, value: Instance) -> frozenset[str] | None:
    """Return the names that an object without attributes has; None where that, or how it is pickled, is not known."""
    found: set[str] = set()
    for base in analysis.mro(value.cls):
        if isinstance(base, Class):
            if base.node.decorator_list or base.node.keywords:
                return None
            found |= set(base.body_names())
        elif not isinstance(base, External) or base.name.removeprefix("builtins.") not in _BARE:
            return None
    return frozenset(found.union(dir(object))) if found.isdisjoint(_OWN_PICKLING) else None


class _Lookup:
    """What `__getattr__` does for a name while its object has no attributes."""

    def __init__(self, hook: ast.FunctionDef, present: frozenset[str]) -> None:
        self.hook, self.body = hook, hook.body
        self.me, self.asked = (each.arg for each in hook.args.args)
        self.present = present

    def endless(self, name: str, above: tuple[str, ...]) -> ast.Attribute | None:
        """Return the read that asks again and again; None where the look-up ends, or may end."""
        read = self._first_missing(self.body, name)
        if read is None:
            return None
        if read.attr in above:
            return read
        return read if self.endless(read.attr, (*above, read.attr)) else None

    def answer(self, name: str) -> ast.AST | None:
        """Return what gives a value for a name, whatever the object has: a `return`, or the whole of a generator function."""
        yields = any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in _own(self.hook))
        return self.hook if yields else self._answer(self.body, name)

    def _answer(self, block: Sequence[ast.stmt], name: str) -> ast.AST | None:
        for at, statement in enumerate(block):
            match statement:
                case ast.Return(value=value):
                    return statement if value is None or isinstance(value, _PLAIN) else None
                case ast.If(test=test):
                    held = self._holds(test, name)
                    inner = statement.body if held else statement.orelse
                    rest = [*inner, *block[at + 1 :]]
                    return self._answer(rest, name) if held is not None else None
                case ast.Expr(value=ast.Constant()):
                    continue
            return None
        return None

    def _first_missing(self, block: Sequence[ast.stmt], name: str) -> ast.Attribute | None:
        for at, statement in enumerate(block):
            for part in _evaluated(statement):
                read = next(self._missing(part, name), None)
                if read is not None:
                    return read
            if not isinstance(statement, _SIMPLE):
                inner = self._entered(statement, name)
                return self._first_missing([*inner, *block[at + 1 :]], name) if inner else None
        return None

    def _entered(self, statement: ast.stmt, name: str) -> Sequence[ast.stmt]:
        """Return the block of a statement that surely runs; nothing where another may."""
        if isinstance(statement, ast.If):
            held = self._holds(statement.test, name)
            return (
                () if held is None else (statement.body if held else statement.orelse or _NOTHING)
            )
        return statement.body if isinstance(statement, ast.Try) and _lets_pass(statement) else ()

    def _missing(self, node: ast.expr, name: str) -> Iterator[ast.Attribute]:
        """Yield the reads of missing attributes that surely happen when an expression is evaluated."""
        match node:
            case ast.Lambda() | ast.GeneratorExp():
                return
            case ast.ListComp(generators=[first, *_]) | ast.SetComp(generators=[first, *_]):
                yield from self._missing(first.iter, name)
            case ast.BoolOp(values=[first, *_]):
                yield from self._missing(first, name)
            case ast.IfExp(test=test):
                yield from self._missing(test, name)
                held = self._holds(test, name)
                if held is not None:
                    yield from self._missing(node.body if held else node.orelse, name)
            case ast.Attribute(value=ast.Name(id=owner), attr=attribute, ctx=ast.Load()):
                if owner == self.me and attribute not in self.present and attribute != "__dict__":
                    yield node
            case _:
                for child in ast.iter_child_nodes(node):
                    if isinstance(child, ast.keyword):
                        child = child.value
                    if isinstance(child, ast.expr):
                        yield from self._missing(child, name)

    def _holds(self, test: ast.expr, name: str) -> bool | None:
        """Return what a test of the name, or of what the object has, gives; None where that is not known."""
        return holds(test, self.asked, name, self.me)


def _own(hook: ast.FunctionDef) -> Iterator[ast.AST]:
    """Yield the nodes of a function, without those of functions in it."""
    pending: list[ast.AST] = [*hook.body]
    for node in pending:  # grows while it is read
        yield node
        if not isinstance(node, (*FUNCTIONS, ast.Lambda, ast.GeneratorExp, ast.ClassDef)):
            pending += ast.iter_child_nodes(node)


def _evaluated(statement: ast.stmt) -> Iterator[ast.expr]:
    """Yield the expressions of a statement itself, in the order in which they are evaluated."""
    match statement:
        case ast.If(test=part) | ast.Assert(test=part) | ast.While(test=part):
            yield part
        case ast.For(iter=part):
            yield part
        case ast.With(items=[first, *_]):
            yield first.context_expr
        case ast.Expr(value=part) | ast.Assign(value=part):
            yield part
        case ast.Return(value=ast.expr() as part) | ast.AnnAssign(value=ast.expr() as part):
            yield part
        case ast.Raise(exc=ast.expr() as part):
            yield part


def _lets_pass(statement: ast.Try) -> bool:
    """Return whether a RecursionError passes the handlers of a `try`, and nothing is put in its place."""
    if statement.finalbody:
        return False
    caught: list[ast.expr | None] = []
    for handler in statement.handlers:
        kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
        caught += kinds
    names = [each.id for each in caught if isinstance(each, ast.Name)]
    return len(names) == len(caught) and _CATCHING_ALL.isdisjoint(names)
