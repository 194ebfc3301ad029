"""What a function does with the instance it was made by."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.hoisting.captures import Draft
from dlfix.fixing.plans_callables import Expression


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
            own = [each.arg for each in [*node.args.posonlyargs, *node.args.args]]
            passed = [each.id if isinstance(each, ast.Name) else None for each in given]
            return Expression(f"{owner}.{attr}") if passed == own else None
    return None


def methods_of(owner: ast.ClassDef) -> set[str]:
    """Return the names of a class's methods, properties not counted."""
    return {
        each.name
        for each in owner.body
        if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef))
        and not any(
            getattr(d, "id", "") in ("property", "cached_property") for d in each.decorator_list
        )
    }


def reads_of(draft: Draft, name: str) -> Iterator[ast.Name]:
    """Yield where a function reads a name of what is around it."""
    for scope in draft.scope.walk():
        if name not in scope.bindings:
            yield from scope.reads.get(name, ())


def is_in_classmethod(draft: Draft) -> bool:
    """Tell whether a function was made in a class method."""
    if draft.method is None:
        return False
    return any(getattr(each, "id", "") == "classmethod" for each in draft.method.decorator_list)
