"""Classes that moved out of a function and take more arguments: whatever makes their objects passes them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.proof.syntax import FUNCTIONS, dotted, last_part
from dlfix.project.module import Module


def missing(module: Module, cls: ast.ClassDef) -> Iterator[tuple[ast.Call, str]]:
    """Yield the calls that set up an object of a class, or of one derived from it, each with what it lacks."""
    init = _init_of(cls)
    if init is None:
        return
    pairs = zip(init.args.kwonlyargs, init.args.kw_defaults, strict=True)
    needed = [each.arg for each, default in pairs if default is None]
    listed = [each.arg for each in (*init.args.posonlyargs, *init.args.args)]
    by_position = listed[1 : len(listed) - len(init.args.defaults)]
    for call in _calls(module, cls) if needed or by_position else ():
        given = {keyword.arg for keyword in call.keywords}
        is_whole = isinstance(call.func, ast.Name) and last_part(call.func) != "partial"
        is_open = any(isinstance(each, ast.Starred) for each in call.args) or not is_whole
        left = () if is_open else by_position[len(call.args) :]
        lacks = [name for name in (*needed, *left) if name not in given]
        if lacks and None not in given:
            yield call, lacks[0]


def _calls(module: Module, cls: ast.ClassDef) -> Iterator[ast.Call]:
    home = module.scope_of(cls)
    for read in module.nodes_by_name.get(cls.name, ()):
        if isinstance(read, ast.Name) and module.scope_of(read).lookup(read.id) is not home:
            continue  # another one of that name
        above = module.parent(read)
        if isinstance(above, ast.Call):
            partial = read in above.args[:1] and last_part(above.func) == "partial"
            if above.func is read or partial:
                yield above
        elif isinstance(above, ast.ClassDef) and above.bases[:1] == [read]:
            init = _init_of(above)
            yield from _calls(module, above) if init is None else _of_base(init)


def _of_base(init: ast.FunctionDef) -> Iterator[ast.Call]:
    """Yield the calls of the constructor of a base by another one."""
    for call in ast.walk(init):
        match call:
            case ast.Call(func=ast.Attribute(value=ast.Call(func=func), attr="__init__")):
                if dotted(func) == "super":
                    yield call


def _init_of(cls: ast.ClassDef) -> ast.FunctionDef | None:
    named = (each for each in cls.body if isinstance(each, FUNCTIONS) and each.name == "__init__")
    found = next(named, None)
    return found if isinstance(found, ast.FunctionDef) else None


__all__ = ["missing"]
