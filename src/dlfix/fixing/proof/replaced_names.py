"""Code that puts something else in the place of a module's or class's name: patches, `setattr`, `vars(module)`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.proof.program import Program
from dlfix.fixing.proof.syntax import dotted, last_part
from dlfix.project.import_time import ImportTime
from dlfix.project.module import Module
from dlfix.project.syntax import attribute_named, attributes_of

_READING = ("get", "has", "is", "import", "find", "print")
_PATCHES = frozenset({"patch", "setattr", "setitem"})


def replacing(program: Program, name: str) -> Iterator[tuple[Module, ast.AST]]:
    """Yield where code replaces what a full name stands for: `sqlite3.connect`, `store.open_store`."""
    owner, _, attribute = name.rpartition(".")
    last = owner.rpartition(".")[2]
    if not owner or not attribute:
        return
    for module in program.project.mentions(attribute):
        if not module.says(last):
            continue
        for place, held, named in _replaced_in(module):
            if named != attribute:
                continue
            if held is None or _full_name(program, module, held) == owner:
                yield module, place
        for place in _by_path(module, owner, attribute):
            yield module, place


def _replaced_in(module: Module) -> Iterator[tuple[ast.AST, ast.expr, str]]:
    """Yield where a name of some object is replaced, with the object and the name."""
    for call in module.calls:
        name = last_part(call.func)
        if len(call.args) < 2 or name.startswith(_READING):
            continue
        for held, asked in zip(call.args, call.args[1:], strict=False):
            if isinstance(asked, ast.Constant) and isinstance(asked.value, str) and dotted(held):
                yield call, held, asked.value
    for node in module.nodes(ast.Attribute, ast.Subscript):
        named = attribute_named(node)
        if named is not None and not isinstance(getattr(node, "ctx", None), ast.Load):
            yield node, *named
    for call in module.calls_by_name.get("update", ()):
        owner = attributes_of(call.func.value) if isinstance(call.func, ast.Attribute) else None
        keys = [k.arg for k in call.keywords]
        keys += [
            str(n.value) for a in call.args for n in ast.walk(a) if isinstance(n, ast.Constant)
        ]
        if owner is not None:
            yield from ((call, owner, key) for key in keys if key)


def _by_path(module: Module, owner: str, attribute: str) -> Iterator[ast.AST]:
    """Yield the patches of a name that is spelled out in a text: `mock.patch("store.open_store")`."""
    for word in _PATCHES:
        for call in module.calls_by_name.get(word, ()):
            given = call.args[0] if call.args else None
            text = given.value if isinstance(given, ast.Constant) else None
            if isinstance(text, str) and text == f"{owner}.{attribute}":
                yield call


def _full_name(program: Program, module: Module, held: ast.expr) -> str:
    """Return the full name of the module or class that an expression stands for."""
    root, dot, rest = dotted(held).partition(".")
    match program.bound(module, root):
        case home, ast.Module():
            return f"{home.name}{dot}{rest}"
        case home, ast.ClassDef(name=name):
            return f"{home.name}.{name}{dot}{rest}"
    scope = module.scope_of(held).lookup(root)
    bindings = scope.bindings.get(root, []) if scope is not None else []
    imported = bool(bindings) and all(
        isinstance(each.statement, (ast.Import, ast.ImportFrom)) for each in bindings
    )
    return ImportTime(module.tree).full_name(held) if imported else ""


__all__ = ["replacing"]
