"""What a piece of syntax says by itself: the name of a callee, the parameters of a function, `self.x`, `super()`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple, TypeGuard

Function = ast.FunctionDef | ast.AsyncFunctionDef
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
DEFINITIONS = (*FUNCTIONS, ast.ClassDef)
LOOPS = (ast.For, ast.AsyncFor, ast.While)

# The methods that put something into a container, and all whose name says that they change their object.
ADDING = frozenset("append appendleft extend extendleft insert add update setdefault".split())
MUTATORS = ADDING | frozenset(
    "pop popitem popleft remove discard clear sort reverse register".split()
)
# The methods of a logger that write a line.
LOG_METHODS = frozenset("debug info warning warn error exception critical log".split())
_UNSURE = (
    ast.IfExp,
    ast.BoolOp,
    ast.Lambda,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
)
_BY_NAME = ("getattr", "setattr", "delattr")
_MANGLED = re.compile(r"_[A-Z]\w*?(__\w*[^\W_]_?)")  # classes have capitals


def last_name(node: ast.AST | None) -> str:
    """Return the last name of what is named: `c` of `a.b.c` and of `f().c`; empty for anything else."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def callee_name(node: ast.AST) -> str:
    """Return the last name of what a call calls, or of the node itself where it is no call."""
    return last_name(node.func if isinstance(node, ast.Call) else node)


def class_name(written: ast.expr) -> str:
    """Return the last name of a class: `Base` of `pkg.Base[T]`."""
    return last_name(written.value if isinstance(written, ast.Subscript) else written)


def base_name(node: ast.expr) -> str | None:
    """Return the name an attribute, item or call chain starts from: `a` of `a.b[0].c`."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Starred)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def dotted(node: ast.AST | None) -> str:
    """Return `a.b.c` for such a chain of names, else an empty string."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        inner = dotted(node.value)
        return f"{inner}.{node.attr}" if inner else ""
    return ""


def decorators(node: ast.AST) -> set[str]:
    """Return the last names of the decorators of a definition that are not called."""
    return {last_name(each) for each in getattr(node, "decorator_list", ())} - {""}


def positional(function: Function | ast.Lambda) -> list[str]:
    """Return the names of the parameters that may be passed by position."""
    return [each.arg for each in (*function.args.posonlyargs, *function.args.args)]


def parameters(function: Function | ast.Lambda) -> list[str]:
    """Return the names of all parameters: those by position first, those with stars last."""
    args = function.args
    starred = [each.arg for each in (args.vararg, args.kwarg) if each is not None]
    return [*positional(function), *(each.arg for each in args.kwonlyargs), *starred]


def defaults(signature: ast.arguments) -> dict[str, ast.expr]:
    """Return the parameters that have a default, with it."""
    names = [a.arg for a in (*signature.posonlyargs, *signature.args)]
    found = dict(
        zip(names[len(names) - len(signature.defaults) :], signature.defaults, strict=True)
    )
    for argument, default in zip(signature.kwonlyargs, signature.kw_defaults, strict=True):
        if default is not None:
            found[argument.arg] = default
    return found


def first_parameter(function: Function | ast.Lambda) -> str:
    """Return the name of the first parameter, a method's object or class; empty where there is none."""
    args = function.args
    first = args.posonlyargs or args.args  # no list of all of them: this is asked most often
    return first[0].arg if first else ""


def is_attribute_of(node: ast.AST | None, owner: str) -> TypeGuard[ast.Attribute]:
    """Return whether a node is `owner.<something>`."""
    return isinstance(node, ast.Attribute) and is_name(node.value, owner)


def attributes_of(node: ast.AST | None) -> ast.expr | None:
    """Return the object whose attributes a dict holds: `x` of `x.__dict__` and of `vars(x)`."""
    match node:
        case ast.Attribute(attr="__dict__", value=owner):
            return owner
        case ast.Call(func=ast.Name(id="vars"), args=[owner]):
            return owner
    return None


def is_private(name: str) -> bool:
    """Return whether Python mangles a name that a class's code uses: `__file`, not `__init__`."""
    return name.startswith("__") and not name.endswith("__")


def key_of(attribute: str, cls: str) -> str:
    """Return the key in `__dict__` of an attribute that the code of a class names."""
    owner = cls.lstrip("_")
    return f"_{owner}{attribute}" if owner and is_private(attribute) else attribute


def attribute_of(key: str) -> str:
    """Return how the code of a class names the attribute of a key: `__file` for `_Rows__file`."""
    mangled = _MANGLED.fullmatch(key)
    return mangled[1] if mangled else key


def attribute_named(node: ast.AST | None) -> tuple[ast.expr, str] | None:
    """Return the object and the name of the attribute that an expression reads, sets or takes away.

    `x.a`, `x.__dict__["a"]`, `vars(x).pop("a")`, `setattr(x, "a", 1)`, `delattr(x, "a")`.
    """
    match node:
        case ast.Attribute(value=owner, attr=name):
            return owner, name
        case ast.Subscript(value=held, slice=ast.Constant(value=str(name))):
            by_key = attributes_of(held)
        case ast.Call(
            func=ast.Attribute(attr="get" | "pop" | "setdefault", value=held),
            args=[ast.Constant(value=str(name)), *_],
        ):
            by_key = attributes_of(held)
        case ast.Call(args=[by_key, ast.Constant(value=str(name)), *_]) if (
            last_name(node.func).strip("_") in _BY_NAME
        ):
            pass
        case _:
            return None
    return (by_key, attribute_of(name)) if by_key is not None else None


class SetByName(NamedTuple):
    """An attribute that is set by a name in quotes: of which object, and what stands for it there."""

    owner: ast.expr
    name: str
    target: ast.expr
    value: ast.expr


def set_by_name(node: ast.AST) -> SetByName | None:
    """Return what a call or an assignment by itself surely sets.

    `setattr(x, "a", 1)`, `object.__setattr__(x, "a", 1)`, `x.__dict__["a"] = 1`, `vars(x)["a"] = 1`.
    """
    match node:
        case ast.Call(
            func=ast.Name(id="setattr")
            | ast.Attribute(value=ast.Name(id="object"), attr="__setattr__"),
            args=[owner, ast.Constant(value=str(name)), value],
        ):
            return SetByName(owner, name, node, value)
        case ast.Assign(
            targets=[ast.Subscript(value=held, slice=ast.Constant(value=str(name))) as target],
            value=value,
        ):
            by_key = attributes_of(held)
            return SetByName(by_key, name, target, value) if by_key is not None else None
    return None


def attributes_deleted(statement: ast.stmt) -> Iterator[tuple[ast.expr, str]]:
    """Yield the attributes that a statement by itself surely takes away, each with its object."""
    if isinstance(statement, ast.Delete):
        yield from filter(None, map(attribute_named, statement.targets))
    elif isinstance(statement, (ast.Expr, ast.Assign)):
        for call in _surely_evaluated(statement.value):
            if isinstance(call, ast.Call) and last_name(call.func).strip("_") in ("pop", "delattr"):
                yield from filter(None, [attribute_named(call)])


def _surely_evaluated(node: ast.AST) -> Iterator[ast.AST]:
    """Yield an expression and its parts, without those that may not be evaluated with it."""
    yield node
    for child in () if isinstance(node, _UNSURE) else ast.iter_child_nodes(node):
        yield from _surely_evaluated(child)


def is_none(node: ast.AST | None) -> bool:
    """Return whether a node is the constant None."""
    return isinstance(node, ast.Constant) and node.value is None


def is_name(node: ast.AST | None, name: str) -> TypeGuard[ast.Name]:
    """Return whether a node is this name."""
    return isinstance(node, ast.Name) and node.id == name


def is_super(node: ast.AST | None) -> TypeGuard[ast.Call]:
    """Return whether a node is a call of `super`."""
    return isinstance(node, ast.Call) and is_name(node.func, "super")
