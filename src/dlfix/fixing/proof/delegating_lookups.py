"""Objects whose `__getattr__` asks another object for every name: pickle then takes that object's state method for theirs."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from dlfix.catalog import load
from dlfix.fixing.proof.changes import ClassChange, Regression
from dlfix.fixing.proof.order import STATE
from dlfix.fixing.proof.program import Class, Program
from dlfix.fixing.proof.syntax import (
    Function,
    calls_in,
    executed,
    is_attribute,
    self_name,
    values_set,
)
from dlfix.fixing.proof.writes import goes_by, may_be, values_of
from dlfix.project.import_time import ImportTime
from dlfix.project.name_tests import holds
from dlfix.project.packaged import packaged
from dlfix.project.syntax import attributes_of, is_name, is_super, parameters
from dlfix.project.targets import asks_for_state

_HOOK = "__getattr__"
_ASKED_ANYWAY = frozenset(dir(object)) - {"__getstate__"}  # found without the hook


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield each new state method that pickle may find for an object that holds one of this class."""
    had = {name for cls in change.old.lineage(change.before) for name in cls.methods}
    for name in STATE:
        function = change.after.methods.get(name)
        if function is None or name in had or not _is_looked_up(change, name):
            continue
        for wrapper in change.new.once(_delegating):
            if _answers(change, wrapper, name):
                yield change.regression(
                    function,
                    f"`{wrapper.name}.{_HOOK}` would return `{name}` of the "
                    f"`{change.after.name}` that it holds, and pickle would call it for the "
                    f"`{wrapper.name}` ({wrapper.module.path.name}:{wrapper.node.lineno})",
                )
                break


def _is_looked_up(change: ClassChange, name: str) -> bool:
    """Return whether Python asks `__getattr__` for a state method that a class lacks."""
    asks = name != "__getstate__" or asks_for_state(change.file.after.path)
    return asks and name not in _ASKED_ANYWAY


def _delegating(program: Program) -> Iterator[Class]:
    """Yield the classes with objects that have a `__getattr__` of their own or of a base."""
    for module in program.project.mentions(_HOOK):
        for cls in program.classes(module):
            if _HOOK in cls.methods:
                yield from (e for e in (cls, *program.heirs(cls)) if _has_objects(program, e))


def _has_objects(program: Program, cls: Class) -> bool:
    """Return whether some code may make objects of a class: not where nothing names it, and nobody else can use it."""
    if program.heirs(cls):
        return bool(program.made_through(cls))
    name, home = cls.node.name, cls.module
    is_named = any(
        len(re.findall(rf"\b{name}\b", module.text)) > (module is home)
        for module in program.project.mentions(name)
    )
    return is_named or packaged(home.path.parent) is not None


def _answers(change: ClassChange, wrapper: Class, name: str) -> bool:
    """Return whether an object of a class gives the state method of what it holds as its own."""
    program = change.new
    found = program.method(wrapper, _HOOK)
    if found is None or program.method(wrapper, name) is not None or wrapper is change.after:
        return False
    owner, hook = found
    family = [change.after, *program.heirs(change.after)]
    return any(_may_hold(program, owner, hook, asked, family) for asked in _asked(hook, name))


def _asked(hook: Function, name: str) -> Iterator[ast.expr]:
    """Yield the objects that a `__getattr__` asks for the name that it was given."""
    me = self_name(hook)
    given = next((each for each in parameters(hook) if each != me), "")
    empty = me if name == "__setstate__" else ""  # which is asked for before the state is there
    for call in calls_in(_run_for(hook.body, given, name, empty)):
        match call:
            case (
                ast.Call(func=ast.Name(id="getattr"), args=[asked, ast.Name(id=key), *_])
                | ast.Call(
                    func=ast.Attribute(value=asked, attr="__getattribute__" | "__getattr__"),
                    args=[ast.Name(id=key)],
                )
                | ast.Call(
                    func=ast.Call(func=ast.Attribute(attr="attrgetter"), args=[ast.Name(id=key)]),
                    args=[asked],
                )
            ) if key == given and not is_super(asked):
                yield asked


def _run_for(block: list[ast.stmt], given: str, name: str, empty: str) -> Iterator[ast.stmt]:
    """Yield the statements that may run for a name."""
    for statement in block:
        held = holds(statement.test, given, name, empty) if isinstance(statement, ast.If) else None
        if isinstance(statement, ast.If) and held is not None:
            chosen = statement.body if held else statement.orelse
            yield from _run_for(chosen, given, name, empty)
            if chosen and isinstance(chosen[-1], (ast.Return, ast.Raise)):
                return
        else:
            yield statement


def _may_hold(
    program: Program, owner: Class, hook: Function, asked: ast.expr, family: list[Class]
) -> bool:
    """Return whether what a `__getattr__` asks may be an object of some classes."""
    me = self_name(hook)
    field = _field(asked, me)
    if field and _holds_loaders(program, owner, field):
        return False
    if field:
        return any(_goes_by(program, cls, ast.Attribute(asked, field)) for cls in family)
    if isinstance(asked, ast.Name) and asked.id != me:
        values = values_of(program, owner.module, asked, asked.id)
        fields = [_field(each, me) for each in values]
        if fields and all(fields):
            attributes = [ast.Attribute(asked, each) for each in fields]
            return any(_goes_by(program, cls, each) for cls in family for each in attributes)
    return may_be(program, owner.module, asked, family)


def _holds_loaders(program: Program, cls: Class, field: str) -> bool:
    """Return whether an attribute only holds loaders, which do not answer for their datasets."""
    getter = cls.getters.get(field)
    if getter is not None:
        returned = [e.value for e in executed(getter.body) if isinstance(e, ast.Return) and e.value]
        parts = [each.value if isinstance(each, ast.Subscript) else each for each in returned]
        read = {each.attr for each in parts if isinstance(each, ast.Attribute)} - {field}
        return len(read) == len(parts) == 1 and _holds_loaders(program, cls, *read)
    functions = [each for one in (cls, *program.heirs(cls)) for each in one.functions]
    values = [part for f in functions for v in values_set(f, field) for part in _items(v)]
    imports = ImportTime(cls.module.tree)
    rows = [load().boundary(imports.full_name(getattr(each, "func", each))) for each in values]
    return bool(rows) and all(row is not None and row.kind == "DataLoader" for row in rows)


def _items(value: ast.expr) -> list[ast.expr]:
    """Return what is in a list that is spelled out, or a value itself."""
    if isinstance(value, (ast.List, ast.Tuple)):
        return value.elts
    return [value.elt if isinstance(value, ast.ListComp) else value]


def _goes_by(program: Program, cls: Class, field: ast.Attribute) -> bool:
    """Return whether an attribute may hold an object of a class; one that nothing makes is known as data alone."""
    is_made = bool(program.made_through(cls))
    return goes_by(program, cls, field) if is_made else "data" in field.attr


def _field(asked: ast.expr, me: str) -> str:
    """Return the attribute of an object that an expression reads, past what it was given at first."""
    match asked:
        case ast.Attribute(attr=name) if is_attribute(asked, me, name):
            return name
        case ast.Subscript(value=where, slice=ast.Constant(value=str() as name)):
            return name if _is_dict(where, me) else ""
        case ast.Call(
            func=ast.Attribute(value=where, attr="get"),
            args=[ast.Constant(value=str() as name), *_],
        ):
            return name if _is_dict(where, me) else ""
        case ast.Call(
            func=ast.Name(id="getattr")
            | ast.Attribute(value=ast.Name(id="object"), attr="__getattribute__"),
            args=[ast.Name(id=owner), ast.Constant(value=str() as name), *_],
        ) if owner == me:
            return name
    return ""


def _is_dict(where: ast.expr, me: str) -> bool:
    return is_name(attributes_of(where), me)


__all__ = ["check"]
