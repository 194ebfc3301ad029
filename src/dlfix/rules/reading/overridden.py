"""Settings of a module that an import fills and the parent sets again: `cfg.merge_from_file(args.config)`."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.project.syntax import is_name, last_name, positional
from dlfix.project.trees import walk
from dlfix.reach.entry_points import Entry
from dlfix.reach.global_state import GlobalName, Use, changes, method_called, whole_part
from dlfix.reach.values import BoundMethod, Class, Function
from dlfix.rules.reading.parts_of_methods import parts_read, parts_set

if TYPE_CHECKING:
    from dlfix.project.module import Module

# How the configuration objects of libraries (yacs, fvcore, mmengine) take other values in place of their own.
_MERGING = frozenset(
    ["merge_from_file", "merge_from_list", "merge_from_other_cfg", "merge_from_dict"]
)
_BUILTINS = frozenset(dir(builtins))
Path = tuple[str, ...]  # attributes and constant keys, from the name on; "*" for any


def merged_into(name: GlobalName) -> Iterator[Use]:
    """Yield where a configuration object takes other values: by a method of its library, or by a function of the tree."""
    for use in name.reads():
        call = method_called(use.module, use.node)
        if (call is not None and _merges(call)) or _set_by_function(name, use):
            yield use


def overridden_by_parent(
    name: GlobalName, writes: list[tuple[Use, Entry]]
) -> tuple[Use, Entry] | None:
    """Return where only the parent sets again what a worker reads of an object that an import has filled."""
    at_import = {use for use, entry in writes if entry.kind == "import"}
    again = (each for each in writes if each[0] not in at_import and _sets_again(name, each[0]))
    return next(again, None)


def of_what_workers_read(name: GlobalName, writes: list[Use]) -> list[Use]:
    """Return the writes that change what a worker reads: not those of other attributes or items than it names."""
    uses = [use for use in name.reads() if name.worker_writer(use) is not None]
    read = [part for use in uses for part in _read_by(name, use)]
    return [
        use
        for use in writes
        if any(
            _overlap(part, each)
            for part in _written(name, use, is_handed_on=None in read)
            for each in read
        )
    ]


def _sets_again(name: GlobalName, use: Use) -> bool:
    """Return whether a use sets something to what an import cannot know."""
    call = method_called(use.module, use.node)
    if call is not None:
        return _merges(call)
    if _set_by_function(name, use):
        return True
    target = whole_part(use.module, use.node)
    value = getattr(use.module.statement(use.node), "value", None)
    is_stored = target is not use.node and isinstance(getattr(target, "ctx", None), ast.Store)
    return is_stored and isinstance(value, ast.expr) and _is_given(name, use.module, value)


def _written(name: GlobalName, use: Use, *, is_handed_on: bool) -> list[Path]:
    """Return the parts of the object that a use sets; all of it where that is not seen."""
    by_function = _set_by_function(name, use)
    if by_function:
        return by_function
    target = whole_part(use.module, use.node)
    if isinstance(getattr(target, "ctx", None), (ast.Store, ast.Del)):
        return [_path(use.module, use.node) if _names(name, use) else ()]
    call = method_called(use.module, use.node)
    if call is None or is_handed_on:
        return [()]
    by_method = parts_set(name, use, last_name(call.func))
    return [(part,) for part in sorted(by_method)] if by_method else [()]


def _read_by(name: GlobalName, use: Use) -> list[Path | None]:
    """Return the parts of the object that a use reads, those that a method or property of it reads for it."""
    path = _path(use.module, use.node)
    by_method = parts_read(name, use, path[0]) if path else None
    if by_method is not None:
        return [(part,) for part in sorted(by_method)]
    return [_read(use.module, use.node)]


def _read(module: Module, node: ast.expr) -> Path | None:
    """Return the part of the object that a use reads; None where all of it is handed on to other code."""
    whole = whole_part(module, node)
    above = module.parent(whole)
    path = _path(module, node)
    if isinstance(above, ast.Call) and above.func is whole:
        return path[:-1]  # a method of it
    return path if path or not _is_handed_on(above) else None


def _is_handed_on(above: ast.AST | None) -> bool:
    """Return whether code elsewhere gets what an argument is: no builtin, which reads all of it, nor `f(**options)`."""
    if isinstance(above, ast.keyword):
        return above.arg is not None
    builtin = isinstance(above, ast.Call) and getattr(above.func, "id", "") in _BUILTINS
    return isinstance(above, ast.Call) and not builtin


def _names(name: GlobalName, use: Use) -> bool:
    """Return whether a use is by the name itself, not by a local one for a part."""
    aliases = {name.name, *use.module.aliases_of(name.name)}
    return getattr(use.node, "id", getattr(use.node, "attr", "")) in aliases


def _is_given(name: GlobalName, module: Module, value: ast.expr) -> bool:
    """Return whether a value comes from what a program is given, or from an argument: no constant, no definition."""
    found = name.analysis.evaluate(value, name.analysis.frame(module.scope_of(value)))
    if any(isinstance(each.value, (Function, Class, BoundMethod)) for each in found):
        return False
    return any(isinstance(node, (ast.Name, ast.Attribute)) for node in walk(value))


def _set_by_function(name: GlobalName, use: Use) -> list[Path]:
    """Return the parts that a function of the tree sets which gets the object as an argument."""
    known: dict[ast.AST, list[Path]] = name.analysis.once("_set_by_function", dict)
    if use.node not in known:
        known[use.node] = _set_by_call(name, use)
    return known[use.node]


def _set_by_call(name: GlobalName, use: Use) -> list[Path]:
    parent = use.module.parent(use.node)
    call = use.module.parent(parent) if isinstance(parent, ast.keyword) else parent
    if not isinstance(call, ast.Call) or call.func is use.node:
        return []
    frame = name.analysis.frame(use.module.scope_of(call))
    functions = [each.value for each in name.analysis.evaluate(call.func, frame)]
    return [
        path
        for function in functions
        if isinstance(function, Function) and isinstance(function.node, ast.FunctionDef)
        if (parameter := _passed_to(function.node, call, use.node))
        for node in walk(function.node)
        if is_name(node, parameter) and (path := _taken(function.module, node)) is not None
    ]


def _taken(module: Module, node: ast.expr) -> Path | None:
    """Return the part of what a name stands for that takes another value there; None where none does."""
    call = method_called(module, node)
    if call is not None:
        return () if _merges(call) else None
    ctx = getattr(whole_part(module, node), "ctx", None)
    is_set = changes(module, node) and isinstance(ctx, (ast.Store, ast.Del))
    return _path(module, node) if is_set else None


def _merges(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr in _MERGING


def _passed_to(function: ast.FunctionDef, call: ast.Call, value: ast.expr) -> str:
    """Return the parameter that gets an argument of a call; empty where that is not seen."""
    for name, given in zip(positional(function), call.args, strict=False):
        if given is value:
            return name
    return next((each.arg or "" for each in call.keywords if each.value is value), "")


def _path(module: Module, node: ast.expr) -> Path:
    parts: list[str] = []
    above = module.parent(node)
    while isinstance(above, (ast.Attribute, ast.Subscript)) and above.value is node:
        match above:
            case ast.Attribute(attr=part) | ast.Subscript(slice=ast.Constant(value=str() as part)):
                parts.append(part)
            case _:
                parts.append("*")
        node, above = above, module.parent(above)
    return tuple(parts)


def _overlap(written: Path, read: Path | None) -> bool:
    """Return whether a part of an object that is set is, holds or lies in one that is read."""
    if read is None:
        return not written or "*" in written
    return all(a == b or "*" in (a, b) for a, b in zip(written, read, strict=False))
