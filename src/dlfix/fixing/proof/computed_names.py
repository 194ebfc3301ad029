"""Writes that do not spell the attribute: `setattr(x, name, 1)`, `vars(x).update(state)`, `x.__dict__ |= state`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from dlfix.fixing.proof.program import Program
from dlfix.fixing.proof.syntax import FUNCTIONS, parameters
from dlfix.project.module import Module
from dlfix.project.syntax import attributes_of, defaults

WORDS = ("setattr", "vars", "__dict__", "__setattr__")


class Computed(NamedTuple):
    """One such write: on which object, and the name or the dict from which the attributes come."""

    node: ast.expr | ast.stmt
    owner: ast.expr
    name: ast.expr | None = None
    mapping: ast.expr | None = None


def computed_by(node: ast.AST) -> Computed | None:
    """Return the write that a node is, if it does not spell what it sets."""
    match node:
        case ast.Call(
            func=ast.Name(id="setattr") | ast.Attribute(attr="__setattr__"), args=[owner, name, _]
        ) if not isinstance(name, ast.Constant):
            return Computed(node, owner, name=name)
        case ast.Call(func=ast.Attribute(value=held, attr="update"), args=[mapping]):
            by_key = attributes_of(held)
            return Computed(node, by_key, mapping=mapping) if by_key is not None else None
        case ast.AugAssign(target=held, op=ast.BitOr(), value=mapping):
            by_key = attributes_of(held)
            return Computed(node, by_key, mapping=mapping) if by_key is not None else None
        case ast.Assign(targets=[ast.Attribute(attr="__dict__", value=by_key)], value=mapping):
            return Computed(node, by_key, mapping=mapping)
        case ast.Subscript(value=held, slice=name, ctx=ast.Store()) if not isinstance(
            name, ast.Constant
        ):
            by_key = attributes_of(held)
            return Computed(node, by_key, name=name) if by_key is not None else None
    return None


def computed_in(module: Module) -> Iterator[Computed]:
    """Yield the writes of a module that do not spell what they set."""
    for call in (*module.calls_by_name.get("setattr", ()), *module.calls_by_name.get("update", ())):
        found = computed_by(call)
        if found is not None:
            yield found
    if "vars" in module.nodes_by_name or "__dict__" in module.nodes_by_name:
        for node in module.nodes(ast.AugAssign, ast.Assign, ast.Subscript):
            found = computed_by(node)
            if found is not None:
                yield found


def keys_of(mapping: ast.expr) -> set[object] | None:
    """Return the keys that a display or a call of `dict` spells; None where one is not in view."""
    match mapping:
        case ast.Dict(keys=keys):
            known = [each.value for each in keys if isinstance(each, ast.Constant)]
            return set(known) if len(known) == len(keys) else None
        case ast.Call(func=ast.Name(id="dict"), args=[], keywords=keywords):
            named = [each.arg for each in keywords if each.arg is not None]
            return set(named) if len(named) == len(keywords) else None
    return None


def passed_for(
    program: Program, module: Module, owner: ast.expr
) -> Iterator[tuple[Module, ast.Call, ast.expr]]:
    """Yield what calls pass for a parameter that an expression names, with the module and the call."""
    function = program.enclosing(module, owner)
    if function is None or not isinstance(owner, ast.Name):
        return
    names = parameters(function)
    if owner.id not in names:
        return
    is_method = isinstance(module.parent(function), ast.ClassDef)
    for home, call in program.calls_of(function):
        bound = 1 if is_method and isinstance(call.func, ast.Attribute) else 0
        passed = defaults(function.args) | dict(zip(names[bound:], call.args, strict=False))
        passed |= {each.arg or "": each.value for each in call.keywords}
        if owner.id in passed:
            yield home, call, passed[owner.id]


def collects_keywords(program: Program, module: Module, write: Computed) -> bool:
    """Return whether the names are those of the keywords that a function is called with: `**options`."""
    function = program.enclosing(module, write.node)
    rest = function.args.kwarg if isinstance(function, FUNCTIONS) else None
    if rest is None or function is None:
        return False
    if isinstance(write.mapping, ast.Name):
        return write.mapping.id == rest.arg
    loops = [each.iter for each in module.ancestors(write.node) if isinstance(each, ast.For)]
    return any(
        isinstance(n, ast.Name) and n.id == rest.arg for each in loops for n in ast.walk(each)
    )


__all__ = ["Computed", "collects_keywords", "computed_by", "computed_in", "keys_of", "passed_for"]
