"""Whether code in view may make objects of a class at all: of a library's own classes, often none does."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from dlfix.project.module import Module
from dlfix.project.syntax import last_name
from dlfix.reach.values import Class

_TESTS = ("isinstance", "issubclass")


def may_be_made(cls: Class, modules: Iterable[Module]) -> bool:
    """Return whether one of the modules that name a class uses it as a value, or a decorator may hand it on."""
    return bool(cls.node.decorator_list) or any(
        module.aliases_of(cls.name)
        or any(_is_value(node, module) for node in module.nodes_by_name.get(cls.name, ()))
        for module in modules
    )


def _is_value(node: ast.expr, module: Module) -> bool:
    """Return whether a use of a class may make an object: it is no base, and tells no type."""
    above = module.parent(node)
    while isinstance(above, ast.Subscript):  # `class Pairs(Rows[int])`
        node, above = above, module.parent(above)
    is_base = isinstance(above, ast.ClassDef) and node in above.bases
    return not is_base and not names_type(node, module)


def names_type(node: ast.AST, module: Module) -> bool:
    """Return whether a name is written where a type is told, or asked by `isinstance`."""
    child = node
    for above in module.ancestors(node):
        match above:
            case ast.arg():
                return True
            case ast.AnnAssign():
                return child is above.annotation
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                return child is above.returns
            case ast.Call():
                return last_name(above.func) in _TESTS and child is not above.func
            case ast.stmt():
                return False
        child = above
    return False
