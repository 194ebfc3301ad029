"""Which modules of the project an expression may stand for: by imports, arguments, and names that are passed as texts."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.proof.computed_names import passed_for
from dlfix.fixing.proof.flow_targets import bindings_of
from dlfix.fixing.proof.program import Program
from dlfix.fixing.proof.stored_values import values_given
from dlfix.fixing.proof.syntax import dotted, last_part
from dlfix.project.bindings import Binding
from dlfix.project.importing import imports_of, imports_unknown
from dlfix.project.module import Module

_IMPORTING = frozenset({"import_module", "__import__"})
_MADE = frozenset({"module_from_spec", "load_module"})
_FAR = 5


def may_be(program: Program, module: Module, asked: ast.expr, wanted: Module) -> bool:
    """Return whether an expression may be a module; one that is no module for sure is not."""
    return any(
        found is None or found.path == wanted.path for found in _meant(program, module, asked, _FAR)
    )


def meant(program: Program, module: Module, node: ast.expr) -> Iterator[Module | None]:
    """Yield the modules that an expression may stand for, None for any of them."""
    yield from _meant(program, module, node, _FAR)


class _Answers:
    """What expressions may stand for, so far followed; many lead to the same."""

    def __init__(self, program: Program) -> None:
        self.known: dict[tuple[ast.expr, int], tuple[Module | None, ...]] = {}


def _meant(program: Program, module: Module, node: ast.expr, far: int) -> tuple[Module | None, ...]:
    known, key = program.kept(_Answers).known, (node, far)
    if key not in known:
        known[key] = tuple(dict.fromkeys(_followed(program, module, node, far)))
    return known[key]


def _followed(
    program: Program, module: Module, node: ast.expr, far: int
) -> Iterator[Module | None]:
    match node:
        case ast.Name():
            for binding in bindings_of(module, node) if far else ():
                yield from _bound(program, module, node, binding, far - 1)
        case ast.Attribute():
            yield from _member(program, module, node, far)
        case ast.Subscript(value=value, slice=key) if last_part(value) == "modules":
            yield from _registered(program, module, key)
        case ast.Call(func=func) if last_part(func) in _IMPORTING:
            known = [each for use, each in imports_of(program.project, module) if use is func]
            yield from known
            yield from (None for use in imports_unknown(module) if use is func)
        case ast.Call(func=func) if last_part(func) in _MADE:
            yield None
        case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
            for each in items:
                yield from _meant(program, module, each, far)
        case ast.IfExp(body=one, orelse=other):
            yield from (*_meant(program, module, one, far), *_meant(program, module, other, far))


def _bound(
    program: Program, module: Module, node: ast.Name, binding: Binding, far: int
) -> Iterator[Module | None]:
    match binding.statement:
        case ast.Import(names=names):
            yield from _found(program, module, names, binding.name)
        case ast.ImportFrom() as statement:
            origin = statement.module or ""
            if statement.level:
                origin = program.project.relative(module, statement.level, statement.module)
            for alias in statement.names:
                if (alias.asname or alias.name) == binding.name:
                    name = f"{origin}.{alias.name}" if origin else alias.name
                    yield from filter(None, [program.project.find(name, module)])
        case _ if binding.kind == "parameter":
            for home, _, value in passed_for(program, module, node):
                yield from _meant(program, home, value, far)
        case _ if binding.value is not None:
            yield from _meant(program, module, binding.value, far)


def _found(
    program: Program, module: Module, names: list[ast.alias], bound: str
) -> Iterator[Module]:
    for alias in names:
        named = alias.name if alias.asname else alias.name.partition(".")[0]
        if (alias.asname or named) == bound:
            yield from filter(None, [program.project.find(named, module)])


def _member(
    program: Program, module: Module, node: ast.Attribute, far: int
) -> Iterator[Module | None]:
    """Yield a module that is named with its package, `package.operations`, or kept as an attribute."""
    root = node.value
    for owner in (
        _meant(program, module, root, far) if isinstance(root, (ast.Name, ast.Attribute)) else ()
    ):
        inner = owner and program.project.find(f"{owner.name}.{node.attr}", owner)
        yield from filter(None, [inner])
    for home, value in values_given(program, node.attr) if far else ():
        if value is not None:  # of whatever object
            yield from _meant(program, home, value, far - 1)


def _registered(program: Program, module: Module, key: ast.expr) -> Iterator[Module | None]:
    """Yield what `sys.modules` has under a key."""
    if isinstance(key, ast.Constant) and isinstance(key.value, str):
        yield from filter(None, [program.project.find(key.value, module)])
    else:
        yield module if dotted(key) == "__name__" else None


__all__ = ["may_be", "meant"]
