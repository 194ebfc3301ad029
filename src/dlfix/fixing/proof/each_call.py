"""Functions and classes that each call of a function made anew, and that all calls share now."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.proof.callables import Moved
from dlfix.fixing.proof.changes import FileChange, Regression
from dlfix.fixing.proof.members import hooks
from dlfix.fixing.proof.program import Class, Program, whose_class
from dlfix.fixing.proof.syntax import FUNCTIONS, dotted, executed, last_part, self_name
from dlfix.fixing.proof.writes import changes_in_place
from dlfix.project.module import Module
from dlfix.project.trees import said

_CACHES = frozenset({"lru_cache", "cache"})
_ASKS_A_CACHE = ("cache_info", "cache_clear", "cache_parameters")
_FIXED = (ast.Constant, ast.JoinedStr, ast.Lambda, ast.Tuple, ast.UnaryOp, ast.Name, ast.Attribute)


def check(change: FileChange) -> Iterator[Regression]:
    """Yield what runs once now, on import, or is one object for all calls."""
    moved = Moved(change)
    for node in moved.defined:
        if isinstance(node, FUNCTIONS):
            yield from _shared_cache(change, node)
            yield from _documented_test(change, node)
            continue
        cls = change.new.class_at(change.after, node)
        if cls is not None:
            yield from _defined_once(change, cls)
            yield from _shared_members(change, cls)


def _shared_cache(
    change: FileChange, node: ast.FunctionDef | ast.AsyncFunctionDef
) -> Iterator[Regression]:
    """Yield a cache that each call had for itself, where code asks for what it holds."""
    names = {last_part(d.func if isinstance(d, ast.Call) else d) for d in node.decorator_list}
    asked = (m for word in _ASKS_A_CACHE for m in change.new.project.mentions(word))
    if names & _CACHES and next(asked, None) is not None:
        yield change.regression(
            node.name, node, f"`{node.name}` has one cache for all calls now (line {node.lineno})"
        )


def _documented_test(
    change: FileChange, node: ast.FunctionDef | ast.AsyncFunctionDef
) -> Iterator[Regression]:
    """Yield an example in a docstring: `doctest` runs those of the functions of a module."""
    if ">>>" in (ast.get_docstring(node) or ""):
        yield change.regression(
            node.name,
            node,
            f"`doctest` would run the examples of `{node.name}` (line {node.lineno})",
        )


def _defined_once(change: FileChange, cls: Class) -> Iterator[Regression]:
    """Yield the code of the program that ran for each class that was defined, and changes something."""
    for module, function, *_ in hooks(change.new, cls):
        for node in executed(function.body):
            if _changes(module, node):
                yield change.regression(
                    cls.qualname,
                    cls.node,
                    f"`{function.name}` ({module.path.name}:{function.lineno}) now runs once for "
                    f"`{cls.name}`, on import",
                )
                return


def _changes(module: Module, node: ast.AST) -> bool:
    """Return whether a node sets or changes something, or calls what may."""
    if isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, ast.Store):
        return True
    if isinstance(node, ast.Global):
        return True
    is_effect = isinstance(module.parent(node), ast.Expr) and isinstance(node, ast.Call)
    return is_effect and "super" not in said(node)


def _shared_members(change: FileChange, cls: Class) -> Iterator[Regression]:
    """Yield the class attributes that code changes: each call had a class, with attributes of its own."""
    program = change.new
    for name, value in cls.values.items():
        if name.startswith("__"):
            continue
        is_fixed = isinstance(value, _FIXED)
        for module in program.project.mentions(name):
            for node in module.attributes_by_name.get(name, ()):
                set_again = isinstance(node.ctx, ast.Store) and _of_class(
                    program, module, node, cls
                )
                if set_again or (not is_fixed and changes_in_place(module, node)):
                    yield change.regression(
                        cls.qualname,
                        cls.node,
                        f"`{cls.name}.{name}` is changed ({module.path.name}:{node.lineno}), and all calls "
                        "share one class now",
                    )
                    return


def _of_class(program: Program, module: Module, node: ast.Attribute, cls: Class) -> bool:
    """Return whether an attribute is set on a class, not on an object of it."""
    if whose_class(node.value) is not None or program.class_of(module, node.value) is cls:
        return True
    function = program.enclosing(module, node)
    decorated = function is not None and any(
        last_part(each) == "classmethod" for each in function.decorator_list
    )
    return decorated and function is not None and dotted(node.value) == self_name(function)


__all__ = ["check"]
