"""Whether an index is a number for certain: an item by a number is read, one by a name may be a view."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.proof.syntax import (
    COMPREHENSIONS,
    MUTATING,
    Function,
    executed,
    last_part,
    parameters,
)

_COUNTS = frozenset({"range", "xrange"})
_NUMBERS = frozenset({"int", "len", "round", "randint", "randrange"})
_KEEPS = frozenset({"append", "sort", "reverse", "pop", "remove", "clear"})


def is_number(function: Function, node: ast.expr, seen: frozenset[str] = frozenset()) -> bool:
    """Return whether an expression is a number wherever a function evaluates it."""
    if isinstance(node, ast.Constant):
        return not isinstance(node.value, (str, bytes))
    if isinstance(node, ast.UnaryOp):
        return is_number(function, node.operand, seen)
    if isinstance(node, ast.BinOp):
        return all(is_number(function, side, seen) for side in (node.left, node.right))
    if isinstance(node, ast.Call):
        return isinstance(node.func, (ast.Name, ast.Attribute)) and last_part(node.func) in _NUMBERS
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
        return _holds_numbers(function, node.value.id, seen)
    return isinstance(node, ast.Name) and _always_bound_to_numbers(function, node.id, seen)


def _always_bound_to_numbers(function: Function, name: str, seen: frozenset[str]) -> bool:
    if name in seen:
        return True
    bindings = list(_bindings(function, name))
    return (
        bool(bindings)
        and name not in parameters(function)
        and len(bindings) == _stores(function, name)
        and all(_gives_numbers(function, each, name, seen | {name}) for each in bindings)
    )


def _stores(function: Function, name: str) -> int:
    return sum(
        isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load)
        for node in executed(function.body)
    )


def _bindings(
    function: Function, name: str
) -> Iterator[ast.For | ast.comprehension | ast.Assign | ast.AugAssign]:
    for node in executed(function.body):
        if isinstance(node, (ast.For, ast.AugAssign)):
            targets = [node.target]
        elif isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, COMPREHENSIONS):
            yield from (each for each in node.generators if name in _first_names(each.target))
            continue
        else:
            continue
        if any(name in _first_names(target) for target in targets):
            yield node


def _first_names(target: ast.expr) -> set[str]:
    """Return the name that a target binds, or the first of a pair: the index of `enumerate`."""
    if isinstance(target, ast.Tuple) and target.elts:
        target = target.elts[0]
    return {target.id} if isinstance(target, ast.Name) else set()


def _gives_numbers(
    function: Function,
    node: ast.For | ast.comprehension | ast.Assign | ast.AugAssign,
    name: str,
    seen: frozenset[str],
) -> bool:
    if isinstance(node, (ast.For, ast.comprehension)):
        if isinstance(node.target, ast.Tuple):
            return _is_call_of(node.iter, frozenset({"enumerate"}))
        if isinstance(node.iter, ast.Name):
            return _holds_numbers(function, node.iter.id, seen)
        return _is_call_of(node.iter, _COUNTS)
    whole = isinstance(node, ast.AugAssign) or isinstance(node.targets[0], ast.Name)
    return whole and is_number(function, node.value, seen)


def _is_call_of(node: ast.expr, names: frozenset[str]) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in names
        and not any(isinstance(each, ast.Starred) for each in node.args)
    )


def _holds_numbers(function: Function, name: str, seen: frozenset[str]) -> bool:
    """Return whether a local list is made, filled and read here alone, and holds numbers only."""
    if name in seen or name in parameters(function):
        return name in seen
    seen |= {name}
    made = [each for each in _bindings(function, name) if isinstance(each, ast.Assign)]
    return (
        bool(made)
        and len(made) == _stores(function, name)
        and all(_is_list_of_numbers(function, each.value, seen) for each in made)
        and all(_adds_numbers(function, call, seen) for call in _changes(function, name))
    )


def _is_list_of_numbers(function: Function, value: ast.expr, seen: frozenset[str]) -> bool:
    if isinstance(value, ast.List):
        return all(is_number(function, each, seen) for each in value.elts)
    if isinstance(value, ast.ListComp):
        return is_number(function, value.elt, seen)
    inner = isinstance(value, ast.Call) and value.args and last_part(value.func) == "list"
    return _is_call_of(value.args[0] if inner else value, _COUNTS)  # type: ignore[attr-defined]


def _changes(function: Function, name: str) -> Iterator[ast.Call]:
    for node in executed(function.body):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == name
            and node.func.attr in MUTATING
        ):
            yield node


def _adds_numbers(function: Function, call: ast.Call, seen: frozenset[str]) -> bool:
    name = last_part(call.func)
    if name == "append":
        return all(is_number(function, each, seen) for each in call.args)
    return name in _KEEPS
