"""Code that runs when no more workers are started: a call behind the last use of a loader."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.project.import_time import is_guard
from dlfix.project.module import Module, Scope
from dlfix.project.order import begins_before
from dlfix.project.syntax import LOOPS

_REPEATED = (*LOOPS, ast.Try, ast.With, ast.AsyncWith)


def runs_after_all_workers(used: ast.expr, module: Module) -> bool:
    """Return whether a local object is used where nothing in view can start workers with it again.

    It is used by a call of a method, or by its name. The object is made by a call in the same function, and goes only
    to local names; after it is used, these are used for nothing but other methods of the object.
    """
    receiver = used
    if isinstance(used, ast.Call) and isinstance(used.func, ast.Attribute):
        receiver = used.func.value
    scope = module.scope_of(used)
    if not isinstance(receiver, ast.Name) or _is_repeated(used, scope, module):
        return False
    names = _reaching(receiver.id, scope, module)
    if names is None:
        return False
    return any(
        isinstance(module.parent(use), (ast.Call, ast.keyword)) for use in scope.reads[receiver.id]
    ) and all(
        begins_before(use, used) or _is_method_of(use, receiver, module)
        for name in names
        for use in scope.reads.get(name, ())
        if use is not receiver
    )


def _is_repeated(node: ast.expr, scope: Scope, module: Module) -> bool:
    """Return whether code may run more than once, or not at all, while its function runs once."""
    for above in module.ancestors(node):
        if above is scope.node:
            return False
        if isinstance(above, _REPEATED):
            return True
        if isinstance(above, ast.If) and not is_guard(above):
            return True
    return False


def _reaching(name: str, scope: Scope, module: Module) -> set[str] | None:
    """Return the local names that lead to what a name is bound to; None where something else does, too."""
    found = [name]
    for each in found:
        if not _is_local(each, scope):
            return None
        for use in scope.reads.get(each, ()):
            taken = list(_taken_by(use, module))
            if None in taken:
                return None
            found += [other for other in taken if other is not None and other not in found]
    return set(found)


def _is_local(name: str, scope: Scope) -> bool:
    """Return whether a name is bound once, to what a call gives, and read in its own scope only."""
    bindings = scope.bindings.get(name, ())
    inner = (other for other in scope.walk() if other is not scope)
    return (
        len(bindings) == 1
        and isinstance(bindings[0].value, ast.Call)
        and not bindings[0].path
        and not any(name in other.reads and other.lookup(name) is scope for other in inner)
    )


def _taken_by(use: ast.expr, module: Module) -> Iterator[str | None]:
    """Yield the names that a use of an object gives it; None where it goes elsewhere."""
    match module.parent(use):
        case ast.Attribute() as attribute if isinstance(module.parent(attribute), ast.Call):
            return  # what a method gives is not the object
        case ast.Subscript(value=held) if held is use:
            return  # nor is an item
        case ast.keyword() as keyword:
            yield from _taken_by(keyword, module)  # type: ignore[arg-type]
        case ast.Call(func=ast.Name(id="len" | "print" | "str" | "repr")) | ast.FormattedValue():
            return
        case ast.Call() as given:
            if isinstance(given.func, ast.Attribute) and isinstance(given.func.value, ast.Name):
                bindings = module.scope_of(given).bindings.get(given.func.value.id, ())
                if not all(binding.kind == "import" for binding in bindings):
                    yield given.func.value.id
            yield from _taken_by(given, module)
        case ast.Assign(targets=[ast.Name(id=name)]):
            yield name
        case ast.For() | ast.comprehension() | ast.Expr():
            return
        case _:
            yield None


def _is_method_of(use: ast.Name, receiver: ast.Name, module: Module) -> bool:
    return use.id == receiver.id and isinstance(module.parent(use), ast.Attribute)
