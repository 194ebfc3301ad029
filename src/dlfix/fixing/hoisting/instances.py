"""What a function does with the instance it was made by."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from dlfix.fixing.hoisting.captures import Draft
from dlfix.fixing.hoisting.order import Order, occurrences, order_of
from dlfix.fixing.plans_callables import Expression
from dlfix.project.module import Module
from dlfix.project.syntax import decorators, first_parameter, last_name, positional
from dlfix.source.text import Span

Method = ast.FunctionDef | ast.AsyncFunctionDef


def bound_method(draft: Draft) -> Expression | None:
    """`lambda b: self.collate(b)` is `self.collate`."""
    node = draft.node
    if not isinstance(node, ast.Lambda) or draft.captures or draft.owner is None:
        return None
    if node.args.defaults or node.args.vararg or node.args.kwonlyargs or node.args.kwarg:
        return None
    match node.body:
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id=owner), attr=attr), args=given, keywords=[]
        ) if owner == draft.instance and attr in methods_of(draft.owner):
            own = positional(node)
            passed = [each.id if isinstance(each, ast.Name) else None for each in given]
            return Expression(f"{owner}.{attr}") if passed == own else None
    return None


def methods_of(owner: ast.ClassDef) -> set[str]:
    """Return the names of a class's methods, properties not counted."""
    return {
        each.name
        for each in owner.body
        if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef))
        and not decorators(each) & {"property", "cached_property"}
    }


_PROPERTIES = {"property", "cached_property", "setter", "getter"}


def member_of(owner: ast.ClassDef, attribute: str) -> str:
    """Return what an attribute is in one class: "method", "property", "attribute"; empty elsewhere."""
    for statement in owner.body:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if statement.name != attribute:
                continue
            names = decorators(statement)
            return "property" if names & _PROPERTIES else "method"
    for node in ast.walk(owner):
        set_here = isinstance(node, (ast.Attribute, ast.Name)) and isinstance(node.ctx, ast.Store)
        if set_here and attribute == last_name(node):
            return "attribute"
    return ""


def reads_of(draft: Draft, name: str) -> Iterator[ast.Name]:
    """Yield where a function reads a name of what is around it."""
    for scope in draft.scope.walk():
        if name not in scope.bindings:
            yield from scope.reads.get(name, ())


def is_in_classmethod(draft: Draft) -> bool:
    """Return whether a function was made in a class method."""
    if draft.method is None:
        return False
    return any(getattr(each, "id", "") == "classmethod" for each in draft.method.decorator_list)


def stores_of(module: Module, draft: Draft, attribute: str) -> list[ast.Attribute]:
    """Return where the method that makes a function sets an attribute of its instance."""
    if draft.method is None:
        return []
    return [
        node
        for node in ast.walk(draft.method)
        if isinstance(node, ast.Attribute)
        and node.attr == attribute
        and not isinstance(node.ctx, ast.Load)
        and isinstance(node.value, ast.Name)
        and node.value.id == draft.instance
    ]


def order_of_making(module: Module, draft: Draft) -> tuple[Order, list[ast.AST]]:
    """Return the order of the method that makes a function, and where it does."""
    root = draft.method or module.tree
    return order_of(module, root), list(occurrences(module, root, draft.node))


def private_names(module: Module, node: ast.AST, bound: Collection[Span]) -> list[tuple[str, int]]:
    """Return the names that mean something in their class only, what is bound instead left out."""
    if not any(isinstance(each, ast.ClassDef) for each in module.ancestors(node)):
        return []
    found: list[tuple[str, int]] = []
    for each in ast.walk(node):
        name = next((n for n in (getattr(each, f, "") for f in ("attr", "id", "arg")) if n), "")
        is_private = name.startswith("__") and not name.endswith("__")
        if is_private and (not isinstance(each, ast.expr) or module.span(each) not in bound):
            found.append((name, int(getattr(each, "lineno", 0))))
    return found


def class_around(module: Module, node: ast.AST) -> tuple[ast.ClassDef | None, Method | None]:
    """Return the class of the method that makes a function, and the method."""
    method: Method | None = None
    for above in module.ancestors(node):
        if isinstance(above, (ast.FunctionDef, ast.AsyncFunctionDef)):
            method = above
        if isinstance(above, ast.ClassDef):
            return (above, method) if method in above.body else (None, None)
    return None, None


def way_to(method: Method, owner: ast.ClassDef) -> str:
    """Return how a method names its class: by its instance, or the class itself."""
    is_static = "staticmethod" in decorators(method)
    return owner.name if is_static else first_parameter(method) or owner.name


def attributes_set(module: Module) -> set[str]:
    """Return the attributes that a file sets: on an instance, they hide a method of their name."""
    return {
        each.attr
        for each in ast.walk(module.tree)
        if isinstance(each, ast.Attribute) and isinstance(each.ctx, ast.Store)
    }
