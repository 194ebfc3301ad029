"""The methods a class statement writes, and how they are decorated."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.project.syntax import Function as Def
from dlfix.project.syntax import first_parameter, is_name, is_super, last_name
from dlfix.project.trees import kept, summary, walk
from dlfix.reach.values import Function

_CALLED_BY_WORKERS = ("collate_fn", "worker_init_fn")  # options of a loader
PROPERTIES = frozenset({"property", "cached_property"})
_OPAQUE = PROPERTIES | {"staticmethod", "classmethod"}


def decorator_kind(node: ast.AST) -> str:
    """Return which of staticmethod, classmethod, property, cached_property decorates a def."""
    for decorator in getattr(node, "decorator_list", ()):
        name = last_name(decorator)
        if name in _OPAQUE:
            return name
        if name == "setter":
            return "property"
    return ""


def is_setter(node: ast.AST) -> bool:
    """Return whether a def takes what is assigned to a property."""
    return any(getattr(d, "attr", "") == "setter" for d in getattr(node, "decorator_list", ()))


def takes_instance(node: ast.AST) -> bool:
    """Return whether a method is called with an object, rather than with the class, or with neither."""
    of_class = getattr(node, "name", "") in ("__init_subclass__", "__class_getitem__", "__new__")
    return not of_class and decorator_kind(node) not in ("staticmethod", "classmethod")


@kept
def methods_of(node: ast.ClassDef) -> dict[str, ast.FunctionDef | ast.AsyncFunctionDef]:
    """Return the functions a class's body defines, by name; the last of a name holds, but no deleter of a property."""
    return {
        each.name: each
        for each in node.body
        if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef)) and not _is_deleter(each)
    }


def _is_deleter(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return whether a def is what runs when a property is deleted: it neither gives nor takes a value."""
    return any(getattr(each, "attr", "") == "deleter" for each in node.decorator_list)


@summary
def stored_names(node: ast.ClassDef) -> frozenset[str]:
    """Return the attributes that code in a class sets, and the texts in it, which may name some."""
    found = set()
    for each in walk(node):
        if isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store):
            found.add(each.attr)
        elif isinstance(each, ast.Constant) and isinstance(each.value, str):
            found.add(each.value)
    return frozenset(found)


@summary
def always_raises(node: Def) -> bool:
    """Return whether a function ends by raising, and nowhere returns."""
    leaves = any(isinstance(each, (ast.Return, ast.Yield, ast.YieldFrom)) for each in walk(node))
    return isinstance(node.body[-1], ast.Raise) and not leaves


@summary
def ends_by_itself(node: Def) -> bool:
    """Return whether a function surely leaves by a `return` or `raise` of its own, never by its end."""
    return _leaves(node.body)


def _leaves(block: list[ast.stmt]) -> bool:
    match block[-1] if block else None:
        case ast.Return() | ast.Raise():
            return True
        case ast.If(body=body, orelse=orelse):
            return _leaves(body) and _leaves(orelse)
        case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=final):
            ends = _leaves(orelse or body) and all(_leaves(each.body) for each in handlers)
            return ends or _leaves(final)
    return False


@summary
def self_names(node: Def) -> frozenset[str]:
    """Return what a method calls its object: its first parameter, and the names bound to it."""
    if node.name == "__new__":
        return frozenset(_made_anew(node))
    first = first_parameter(node)
    aliases = [
        target.id
        for inner in walk(node)
        if isinstance(inner, ast.Assign) and is_name(inner.value, first)
        for target in inner.targets
        if isinstance(target, ast.Name)
    ]
    return frozenset({first, *aliases}) - {""}


def _made_anew(node: Def) -> Iterator[str]:
    """Yield the names that a `__new__` gives the object it makes."""
    for inner in walk(node):
        match inner:
            case ast.Assign(
                targets=[ast.Name(id=name)], value=ast.Call(func=ast.Attribute(attr="__new__"))
            ):
                yield name


@summary
def stored_on_self(node: Def) -> frozenset[str]:
    """Return the attributes that a method's own statements set on its object."""
    me = self_names(node)
    return frozenset(
        inner.attr
        for inner in walk(node)
        if isinstance(inner, ast.Attribute)
        and isinstance(inner.ctx, ast.Store)
        and isinstance(inner.value, ast.Name)
        and inner.value.id in me
    )


@summary
def handed_to_workers(node: Def) -> frozenset[str]:
    """Return the methods of its object that a method does nothing with but give them to a loader, for its workers to call."""
    me = self_names(node)
    own = [
        inner
        for inner in walk(node)
        if isinstance(inner, ast.Attribute)
        and isinstance(inner.value, ast.Name)
        and inner.value.id in me
    ]
    handed = {
        keyword.value
        for call in walk(node)
        if isinstance(call, ast.Call)
        for keyword in call.keywords
        if keyword.arg in _CALLED_BY_WORKERS
    }
    return frozenset({each.attr for each in own if each in handed}) - {
        each.attr for each in own if each not in handed
    }


@summary
def annotated_names(node: ast.ClassDef) -> frozenset[str]:
    """Return the names that a class's body annotates: its fields, where a decorator makes the constructor."""
    annotated = (each.target for each in node.body if isinstance(each, ast.AnnAssign))
    return frozenset(each.id for each in annotated if isinstance(each, ast.Name))


@summary
def cleared_by(node: ast.AST) -> frozenset[str]:
    """Return the attributes that a method surely sets to None, or empties, where they hold something."""
    return frozenset(_cleared(getattr(node, "body", [])))


def _cleared(block: list[ast.stmt]) -> Iterator[str]:
    for statement in block:
        match statement:
            case ast.Assign(
                targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)],
                value=ast.Constant(value=None),
            ):
                yield name
            case ast.Assign(targets=[_, _, *_] as chained, value=value):
                for target in chained:
                    yield from _cleared([ast.Assign([target], value)])
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                for target, value in zip(targets, values, strict=False):
                    yield from _cleared([ast.Assign([target], value)])
            case ast.Expr(
                value=ast.Call(
                    func=ast.Attribute(
                        value=ast.Attribute(value=ast.Name(id="self"), attr=name), attr="clear"
                    )
                )
            ):
                yield name
            case ast.Delete(targets=targets):
                yield from filter(None, map(_asked_of, targets))
            case ast.If(test=test, body=body, orelse=[]):
                asked = _asked_of(test)
                yield from (name for name in _cleared(body) if name == asked)
            case ast.With(body=inner) | ast.Try(finalbody=inner):
                yield from _cleared(inner)


@summary
def replaced_by(node: ast.AST) -> frozenset[str]:
    """Return the attributes that a method surely sets to another thing, whatever they held; to open the same anew is none."""
    generates = any(isinstance(inner, (ast.Yield, ast.YieldFrom)) for inner in walk(node))
    return frozenset(() if generates else _replaced(getattr(node, "body", [])))


def _replaced(block: list[ast.stmt]) -> Iterator[str]:
    for statement in block:
        if any(isinstance(inner, ast.Return) for inner in walk(statement)):
            return
        match statement:
            case ast.Assign(targets=[_, _, *_] as chained, value=value):
                yield from (name for t in chained for name in _replaced([ast.Assign([t], value)]))
            case (
                ast.Assign(
                    targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)], value=value
                )
                | ast.AnnAssign(
                    target=ast.Attribute(value=ast.Name(id="self"), attr=name),
                    value=ast.expr() as value,
                )
            ) if not any(map(_may_open_anew, walk(value))):
                yield name
            case ast.With(body=inner) | ast.Try(finalbody=inner):
                yield from _replaced(inner)


@summary
def called_last(node: ast.AST) -> str:
    """Return the method of its object that a method calls when all else is done: `finally: self.close()`."""
    generates = any(isinstance(inner, (ast.Yield, ast.YieldFrom)) for inner in walk(node))
    return "" if generates else _called_last(getattr(node, "body", []))


def _called_last(block: list[ast.stmt]) -> str:
    *above, last = block or [ast.Pass()]
    match last:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=name))):
            return name
        case ast.Try(finalbody=[_, *_] as inner) | ast.With(body=inner):
            return _called_last(inner)
        case ast.Return() if not any(is_name(inner, "self") for inner in walk(last)):
            return _called_last(above)
    return ""


def _may_open_anew(node: ast.AST) -> bool:
    """Return whether a call may give a handle: of `open`, of a module's function or a method, not of a class by its name."""
    match node:
        case ast.Call(func=ast.Name(id=name)):
            return name == "open"
        case ast.Call():
            return True
    return False


@summary
def calls_super(node: ast.AST) -> bool:
    """Return whether code asks for `super()`."""
    return any(map(is_super, walk(node)))


def emptied_before_state(node: ast.AST) -> tuple[frozenset[str], frozenset[str]]:
    """Return what `__getstate__` sets to None before it takes the state, and what it calls till then."""
    names: set[str] = set()
    called: set[str] = set()
    for statement in _till_state(getattr(node, "body", [])):
        names |= {*_cleared([statement])}
        match statement:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=name))):
                called.add(name)
    return frozenset(names), frozenset(called)


def _till_state(block: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements that run before one that reads the whole state."""
    for statement in block:
        if isinstance(statement, (ast.Try, ast.With)):
            yield from _till_state(statement.body)
        if any(_reads_state(inner) for inner in walk(statement)):
            return
        yield statement


def _reads_state(node: ast.AST) -> bool:
    return last_name(node) in ("__dict__", "vars", "__getstate__")


def _asked_of(test: ast.expr) -> str | None:
    """Return the attribute of which a test asks whether it holds something."""
    match test:
        case ast.Compare(
            left=ast.Attribute(value=ast.Name(id="self"), attr=name),
            ops=[ast.IsNot()],
            comparators=[ast.Constant(value=None)],
        ):
            return name
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            return name
    return None


def calls_base(method: Function, name: str) -> bool:
    """Return whether a method runs what it takes the place of: `super().name(...)`, `Base.name(...)`."""
    return any(
        isinstance(node, ast.Attribute)
        and node.attr == name
        and getattr(node.value, "id", "") != "self"
        for node in walk(method.node)
    )
