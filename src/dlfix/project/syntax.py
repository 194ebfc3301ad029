"""What a piece of syntax says by itself: the name of a callee, the parameters of a function, `self.x`, `super()`."""

from __future__ import annotations

import ast
from typing import TypeGuard

Function = ast.FunctionDef | ast.AsyncFunctionDef
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
DEFINITIONS = (*FUNCTIONS, ast.ClassDef)
LOOPS = (ast.For, ast.AsyncFor, ast.While)

# The methods that put something into a container, and all whose name says that they change their object.
ADDING = frozenset("append appendleft extend extendleft insert add update setdefault".split())
MUTATORS = ADDING | frozenset(
    "pop popitem popleft remove discard clear sort reverse register".split()
)


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


def first_parameter(function: Function | ast.Lambda) -> str:
    """Return the name of the first parameter, a method's object or class; empty where there is none."""
    return next(iter(positional(function)), "")


def is_attribute_of(node: ast.AST | None, owner: str) -> TypeGuard[ast.Attribute]:
    """Return whether a node is `owner.<something>`."""
    return isinstance(node, ast.Attribute) and is_name(node.value, owner)


def is_name(node: ast.AST | None, name: str) -> TypeGuard[ast.Name]:
    """Return whether a node is this name."""
    return isinstance(node, ast.Name) and node.id == name


def is_super(node: ast.AST | None) -> TypeGuard[ast.Call]:
    """Return whether a node is a call of `super`."""
    return isinstance(node, ast.Call) and is_name(node.func, "super")
