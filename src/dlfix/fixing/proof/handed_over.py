"""What a call hands over inside of something else: under a key, as an attribute of an object, or of a class."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from dlfix.fixing.proof.callees import Callee, callees
from dlfix.fixing.proof.origins import Origins, is_literal, origins_in
from dlfix.fixing.proof.program import Class, Program
from dlfix.fixing.proof.syntax import (
    dotted,
    parameters,
    self_name,
)
from dlfix.project.module import Module

Asked = Callable[[ast.expr], bool]
"""Whether an expression is made of what somebody asks for."""


def passed_parts(
    program: Program,
    module: Module,
    passed: list[tuple[str, ast.expr]],
    origins: Origins,
    asked: Asked,
) -> set[str]:
    """Return by which keys and attributes of its parameters a function knows what a call hands over."""
    found: set[str] = set()
    for name, value in passed:
        parts = _parts_asked(program, module, value, origins, asked)
        found |= {f"{name}.{key}" for key in parts} if name else parts  # `**options`
    return found


def attributes_of_object(
    program: Program,
    module: Module,
    callee: Callee,
    node: ast.Call,
    origins: Origins,
    known: set[str],
    asked: Asked,
) -> set[str]:
    """Return by which attributes of its object a method knows what was handed over before."""
    if not isinstance(node.func, ast.Attribute) or callee.takes is None:
        return set()
    me, owner = self_name(callee.function), node.func.value
    if not me or not isinstance(callee.module.parent(callee.function), ast.ClassDef):
        return set()
    names = _parts_asked(program, module, owner, origins, asked)
    whole = {me} if asked(owner) else set()
    return whole | {f"{me}.{name}" for name in names} | parts_known(known, owner, me, origins)


def _parts_asked(
    program: Program, module: Module, held: ast.expr, origins: Origins, asked: Asked
) -> set[str]:
    """Return the keys and attributes of an object under which it holds what is asked for."""
    names = {key for key, value in origins.parts(held) if asked(value)}
    for made in origins.some_calls(held):
        cls = program.class_of(module, made.func)
        names |= given_to_constructor(program, cls, made, asked) if cls is not None else set()
    return names


def given_to_constructor(program: Program, cls: Class, made: ast.Call, asked: Asked) -> set[str]:
    """Return the attributes that an object gets of what a call of its class passes."""
    init = program.method(cls, "__init__")
    if init is None:
        fields = [name for each in reversed(program.lineage(cls)) for name in each.annotated]
        by_place = zip(fields, made.args, strict=False)
        passed = [*by_place, *((each.arg or "", each.value) for each in made.keywords)]
        return {name for name, value in passed if asked(value)}
    callee = Callee(init[0].module, init[1], parameters(init[1])[1:])
    return _attributes_set(callee, {name for name, value in callee.passed(made) if asked(value)})


def attributes_kept(
    program: Program, module: Module, node: ast.Call, origins: Origins, asked: Asked
) -> Iterator[tuple[str, str]]:
    """Yield the object, and the attribute of it, under which a method that a call runs keeps what it gets."""
    if not isinstance(node.func, ast.Attribute) or not dotted(node.func.value):
        return
    if not any(asked(each) for each in (*node.args, *(k.value for k in node.keywords))):
        return
    for callee in callees(program, module, node, origins):
        if isinstance(callee.module.parent(callee.function), ast.ClassDef) and callee.takes:
            taken = {name for name, value in callee.passed(node) if asked(value)}
            for name in _attributes_set(callee, taken):
                yield dotted(node.func.value), name


def _attributes_set(callee: Callee, taken: set[str]) -> set[str]:
    """Return the attributes that a method sets to what is made of some parameters."""
    function, me = callee.function, self_name(callee.function)
    inside = origins_in(function)
    return {
        name
        for name, value in inside.held.get(me, ())
        if taken & {text.partition(".")[0] for text in inside.of(value)}
    }


def parts_known(known: set[str], held: ast.expr, name: str, origins: Origins) -> set[str]:
    """Return the parts of an object, or of a copy of it, by the name that a function has for it: `rows.path`."""
    known = {text for text in known if not is_literal(text)}
    if not known:
        return set()
    owners = origins.of(held)
    parts = (text.partition(".") for text in known)
    return {f"{name}.{rest}" for owner, _, rest in parts if rest and owner in owners} | {
        f"{name}.{text.removeprefix(start)}"
        for start in [f"{dotted(held)}."]
        for text in known
        if text.startswith(start)
    }


__all__ = [
    "attributes_kept",
    "attributes_of_object",
    "given_to_constructor",
    "parts_known",
    "passed_parts",
]
