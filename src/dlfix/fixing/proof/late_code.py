"""Code that ran while an object was made and runs later now, and the properties that open late."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dlfix.catalog import load
from dlfix.fixing.proof.changes import ClassChange, attributes_set
from dlfix.fixing.proof.order import reached
from dlfix.fixing.proof.program import Class
from dlfix.fixing.proof.syntax import (
    Function,
    called_in,
    calls_in,
    executed,
    is_attribute,
    last_part,
    own_attributes,
    parameters,
    self_name,
    values_set,
)
from dlfix.project.import_time import ImportTime
from dlfix.project.trees import said

_MODE = re.compile(r"[rbt]*[wax+][wax+bt-]*|r[bt]*\+[bt]*|[wx]:\w*|[cn]")


_IN_MEMORY = ("io.BytesIO", "io.StringIO")
# What makes a generator of random numbers or wraps a function opens no file; a file lock does when it is acquired.
_RANDOM = ("random.", "numpy.random.", "torch.Generator")
_NO_FILES = (
    *_RANDOM, "torch.utils.data.get_worker_info", "os.getpid",
    "filelock.", "object.", "importlib.import_module", "functools.cache", "functools.lru_cache",
    "functools.partial", "isinstance", *_IN_MEMORY,
)  # fmt: skip


def moved(change: ClassChange) -> Iterator[tuple[Class, Function, list[ast.stmt]]]:
    """Yield the code that ran while an object was made and runs later now."""
    for function in change.after.functions:
        new = function.name in change.lazy and function is change.after.getters.get(function.name)
        if function.name == "__setstate__":
            fresh = [s for s in _without_flags(change.fresh(function)) if not _restores(s)]
            if fresh:
                yield change.after, function, fresh
        elif new and _ran_before(change, function):
            yield change.after, function, function.body


def _without_flags(nodes: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield statements; of what depends on a flag in the state, those that it decides on."""
    for statement in nodes:
        if isinstance(statement, ast.If) and "attr='__dict__'" in said(statement.test):
            yield from (*statement.body, *statement.orelse)
        else:
            yield statement


def _restores(statement: ast.stmt) -> bool:
    """Return whether a statement only puts a state back."""
    text = said(statement)
    return "__setstate__" in text or "attr='__dict__'" in text


def _ran_before(change: ClassChange, function: Function) -> bool:
    """Return whether what a property does was done while the object was made."""
    openers = with_openers(change, function)
    called = {name for each in openers for name in called_in(each.body)}
    names = called - {"getpid", "get", "setdefault", "close", "clear", "values"}
    names -= {each.name for each in openers}
    subscripts = any(isinstance(n, ast.Subscript) for f in openers for n in executed(f.body))
    if function.name in change.made_lazy and not names:
        return subscripts or bool(called)
    later = _calls_of_later_openers(change, function.name)
    if names & (attributes_set(change.after).keys() - attributes_set(change.before).keys()):
        return True  # a function that the constructor keeps to call it again
    return bool(names & change.calls_while_made - (later - _own_methods(change)))


def _calls_of_later_openers(change: ClassChange, name: str) -> set[str]:
    """Return the last names of what the methods called that set an attribute later already, before.

    Where the constructor alone opened it first, these opened another.
    """
    if _opened_by_constructor(change, name):
        return set()
    made = {id(function) for _, function in change.constructed_before}
    return {
        last_part(node.func)
        for each in change.old.lineage(change.before)
        for function in each.functions
        if id(function) not in made or function.name in change.late_before
        if function.name == name or _sets(function, name)
        for node in executed(function.body)
        if isinstance(node, ast.Call)
    }


def _opened_by_constructor(change: ClassChange, name: str) -> bool:
    """Return whether what only runs while an object is made sets an attribute to what a call gives."""
    return any(
        _is_of_call(value, function)
        for _, function in change.constructed_before
        if function.name not in change.late_before
        for value in values_set(function, name)
    )


def _is_of_call(value: ast.expr, function: Function) -> bool:
    """Return whether a value is what a call gives, also by a local name."""
    if not isinstance(value, ast.Name):
        return isinstance(value, ast.Call)
    return any(
        isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Call)
        and any(isinstance(each, ast.Name) and each.id == value.id for each in node.targets)
        for node in executed(function.body)
    )


def _sets(function: Function, name: str) -> bool:
    return any(each.attr == name for each in own_attributes(function, ast.Store))


def is_new(change: ClassChange, function: Function) -> bool:
    """Return whether a method is one that only the class after has."""
    after = any(function is each for each in change.after.functions)
    return after and function.name not in _own_methods(change)


def with_openers(change: ClassChange, function: Function) -> list[Function]:
    """Return a method and the new ones that it calls: `return self._open_file()`."""
    found = [function]
    for inner in found:
        for name in used_on_self(inner):
            called = change.after.methods.get(name)
            if called is not None and called not in found and is_new(change, called):
                found.append(called)
    return found


def _own_methods(change: ClassChange) -> set[str]:
    return {name for each in change.old.lineage(change.before) for name in each.methods}


def late_openers(change: ClassChange) -> Iterator[Function]:
    """Yield what opens later now what was open when the object was made."""
    for name, getter in change.made_lazy.items():
        opens = any(calls_in(getter.body)) and not _filled_later(change, name)
        if opens and (_ran_before(change, getter) or _was_given(change, name)):
            yield getter
    restoring = change.after.methods.get("__setstate__")
    if restoring is not None:
        fresh = [s for s in change.fresh(restoring) if not _restores(s)]
        if any(calls_in(fresh)):
            yield restoring


def _filled_later(change: ClassChange, name: str) -> bool:
    """Return whether a property gives None until methods fill it that ran after construction before, too."""
    if name not in change.started_empty:
        return False
    made = [function for _, function in change.constructed_before]
    stores = [n for f in made for n in own_attributes(f, ast.Store) if n.attr == name]
    values = [value for f in made for value in values_set(f, name)]
    return len(stores) == sum(isinstance(v, ast.Constant) and v.value is None for v in values)


def opening_calls(change: ClassChange, getter: Function) -> list[ast.Call]:
    """Return the calls of what opens late, and of the methods that it calls."""
    return list(calls_in(opening_code(change, getter)))


def opening_code(change: ClassChange, getter: Function) -> list[ast.stmt]:
    """Return the statements of what opens late, and of the methods of its object that these call."""
    bodies = [
        statement
        for each in with_openers(change, getter)
        for statement in (change.fresh(each) if each.name == "__setstate__" else each.body)
        if not _restores(statement)
    ]
    called = [c.func for c in calls_in(bodies) if is_attribute(c.func, self_name(getter))]
    known = [func.attr for func in called if func.attr not in change.lazy]
    return bodies + [
        statement
        for _, function in reached(change.new, change.after, tuple(known))
        if function.name not in change.lazy
        for statement in function.body
    ]


def _was_given(change: ClassChange, name: str) -> bool:
    """Return whether the constructor was handed what an attribute held."""
    return any(
        isinstance(value, ast.Name) and value.id in parameters(function)
        for _, function in change.constructed_before
        for value in values_set(function, name)
    )


def opens_nothing(change: ClassChange, call: ast.Call) -> bool:
    """Return whether a call touches no file, and raises nothing where one is not there."""
    imports = ImportTime(change.after.module.tree)
    name = imports.full_name(call.func)
    row = load().resource(name)
    is_sync = row is not None and row.kind == "sync"
    return (
        name.startswith(_NO_FILES)
        or is_sync
        or _gives_view(call)
        or _reads_memory(call, imports)
        or _is_of_new_generator(change, call, imports)
    )


def _is_of_new_generator(change: ClassChange, call: ast.Call, imports: ImportTime) -> bool:
    """Return whether a method is called of a new attribute that only holds what opens no file."""
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    if not isinstance(owner, ast.Attribute) or owner.attr not in change.new_attributes:
        return False
    values = [v for each in change.after.functions for v in values_set(each, owner.attr)]
    opened = [v for v in values if not isinstance(v, ast.Constant)]
    made = (imports.full_name(v.func) for v in opened if isinstance(v, ast.Call))
    return bool(opened) and sum(name.startswith(_RANDOM) for name in made) == len(opened)


def _reads_memory(call: ast.Call, imports: ImportTime) -> bool:
    """Return whether a call is given bytes in memory to read alone: `torch.jit.load(io.BytesIO(saved))`."""
    match call.args:
        case [ast.Call(func=buffer)]:
            return imports.full_name(buffer) in _IN_MEMORY
    return False


def _gives_view(call: ast.Call) -> bool:
    """Return whether a call gives a view of a dict: `self.rows.keys()`."""
    func = call.func
    is_view = isinstance(func, ast.Attribute) and func.attr in ("keys", "values", "items")
    return is_view and not call.args


def used_on_self(function: Function) -> Iterator[str]:
    """Yield the attributes of its object that a method names."""
    return (node.attr for node in own_attributes(function))


def opens_to_write(call: ast.Call) -> bool:
    """Return whether a call opens something in a mode that writes."""
    opens = "open" in last_part(call.func).lower() or last_part(call.func)[:1].isupper()
    return opens and any(_MODE.fullmatch(mode) for mode in modes_given(call))


def modes_given(call: ast.Call) -> list[str]:
    """Return the mode that a call spells out for what it opens; nothing where it gives none, or computes it."""
    given = [k.value for k in call.keywords if k.arg in {"mode", "flag"}] or call.args[1:2]
    return [m.value for m in given if isinstance(m, ast.Constant) and isinstance(m.value, str)]


__all__ = [
    "is_new",
    "late_openers",
    "modes_given",
    "moved",
    "opens_nothing",
    "opens_to_write",
    "used_on_self",
    "with_openers",
]
