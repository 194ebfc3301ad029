"""Streams that other code has read from: one that is opened again stands at the beginning."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.catalog import load
from dlfix.catalog.rows import ResourceRow
from dlfix.fixing.proof.at_stake import imports_of
from dlfix.fixing.proof.callees import Callee
from dlfix.fixing.proof.changes import ClassChange, Regression
from dlfix.fixing.proof.handling import Held, held_by
from dlfix.fixing.proof.order import (
    CONSTRUCTORS,
    IN_WORKERS,
    STATE,
    called_on_self,
    entered_by_workers,
)
from dlfix.fixing.proof.outliving import FAR
from dlfix.fixing.proof.passed_values import argument
from dlfix.fixing.proof.positions import opened_again, read_outside, reads_on
from dlfix.fixing.proof.program import Program
from dlfix.fixing.proof.sharing import before_workers, is_sent, uses_through
from dlfix.fixing.proof.state import positions_sent
from dlfix.fixing.proof.syntax import (
    Function,
    dotted,
    executed,
    is_attribute,
    last_part,
    parameters,
    self_name,
    targets_of,
    within,
)
from dlfix.fixing.proof.writes import values_of
from dlfix.project.module import Module

# What code may ask of a stream, or do to it, without moving its position for others.
_KEEPS_ITS_PLACE = frozenset("close closed name mode fileno __enter__ __exit__".split())


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield what opens a stream again at its beginning, where code outside may have read from it before."""
    yield from _passed_in(change)
    yield from _moved_by_methods(change)


def _moved_by_methods(change: ClassChange) -> Iterator[Regression]:
    """Yield the streams that the parent reads from by a method of their object, before the workers start."""
    held = held_by(change.old, change.constructed_before)
    family = change.new.family(change.after)
    own = {id(node) for cls in family for node in within(cls.node)}
    for name, opener in opened_again(change, change.after):
        row = None if name in positions_sent(change) else held.rows.get(f".{name}")
        moving = _moving(change, held, name) if row and (row.position or row.iterates) else set()
        for module, node, how in uses_through(change, family, moving, own) if moving else ():
            if before_workers(change, module, node):
                yield change.regression(
                    opener[0][1],
                    f"the parent moves the position of `{name}` by {how} ({module.path.name}:{node.lineno}), "
                    "but the reopened resource starts at the beginning",
                )
                return


def _moving(change: ClassChange, held: Held, name: str) -> set[str]:
    """Return the methods that read a stream where it stands, and those that call them."""
    found: list[Function] = []
    while (function := reads_on(change, held, name, apart=found)) is not None:
        found.append(function)
    names = {each.name for each in found}
    functions = [(cls, each) for cls in change.new.family(change.after) for each in cls.functions]
    more = names
    while more:
        more = {
            f.name for cls, f in functions if not names.isdisjoint(called_on_self(cls, f))
        } - names
        names = names | more
    entered = {f.name for _, f in entered_by_workers(change.new, change.after)}
    if names.isdisjoint(entered & {*IN_WORKERS} if is_sent(change, change.after) else entered):
        return set()  # a worker goes to a place of its own first
    return names - {*CONSTRUCTORS, *STATE, "close", "__exit__", "__del__"}


def _passed_in(change: ClassChange) -> Iterator[Regression]:
    """Yield the properties that open a stream which their class is passed, and which a caller may have read."""
    made = held_by(change.old, change.constructed_before)
    for name, getter in change.made_lazy.items():
        given = _parameter(change, name)
        if given is None:
            continue
        passed = [
            (module, call, value)
            for module, call in change.new.constructions(change.after)
            for value in argument(given[0], call, given[1]) or []
        ]
        rows = [_opened_as(change.new, module, value, call) for module, call, value in passed]
        known = {f".{name}": row for row in rows[:1] if row is not None and _are_equal(rows)}
        held = Held(known | made.rows, made.origins)
        if reads_on(change, held, name) is None and not read_outside(change, name):
            continue
        for module, call, value in passed:
            place = _moved(change.new, module, value, call)
            if place is not None:
                yield change.regression(
                    getter,
                    f"the caller may have moved the position of `{name}` ({module.path.name}:{place.lineno}), "
                    "but the reopened resource starts at the beginning",
                )
                return


def _opened_as(
    program: Program, module: Module, value: ast.expr, call: ast.AST
) -> ResourceRow | None:
    """Return the row of what a call passes, where all that it may be is opened alike around the call."""
    made = values_of(program, module, call, value.id) if isinstance(value, ast.Name) else [value]
    rows = [_row(module, each) for each in made]
    return rows[0] if rows and _are_equal(rows) else None


def _are_equal(rows: list[ResourceRow | None]) -> bool:
    return all(each == rows[0] for each in rows)


def _parameter(change: ClassChange, name: str) -> tuple[Function, str] | None:
    """Return the constructor that sets an attribute to one of its parameters, and which."""
    for _, function in change.constructed_before:
        for node in executed(function.body):
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and isinstance(node.value, ast.Name):
                is_set = any(is_attribute(t, self_name(function), name) for t in targets_of(node))
                if is_set and node.value.id in parameters(function):
                    return function, node.value.id
    return None


def _moved(
    program: Program, module: Module, value: ast.expr, call: ast.AST, far: int = FAR
) -> ast.expr | None:
    """Return where code may move a stream that a call passes on; what is opened in its place is new."""
    if isinstance(value, ast.Call):
        return _moved_by_opener(program, module, value, far)
    if not isinstance(value, ast.Name):
        return None
    made = values_of(program, module, call, value.id)
    if made and all(_has_no_position(module, each) for each in made):
        return None
    if made and not any(isinstance(each, ast.Call) for each in made):
        return None  # a list or a dict of them
    row = _opened_as(program, module, value, call)
    for node in executed(program.body_around(module, call)):
        is_other = node is not value and dotted(node) == value.id
        if is_other and isinstance(node, ast.Name) and not _leaves_in_place(module, node, row):
            return node
    found = (
        _moved(program, module, each, call, far) for each in made if isinstance(each, ast.Call)
    )
    return next(filter(None, found), None) or _moved_by_caller(program, module, value, call, far)


def _moved_by_opener(
    program: Program, module: Module, opened: ast.Call, far: int
) -> ast.expr | None:
    """Return where a function of the program moves what it opens and returns."""
    known = program.function_of(module, opened.func)
    if known is None or far == 0:
        return None
    home, function = known
    found = (
        _moved(program, home, node.value, node, far - 1)
        for node in executed(function.body)
        if isinstance(node, ast.Return) and node.value is not None
    )
    return next(filter(None, found), None)


def _moved_by_caller(
    program: Program, module: Module, value: ast.Name, call: ast.AST, far: int
) -> ast.expr | None:
    """Return where a caller moves what it passes to the function around a call."""
    around = program.enclosing(module, call)
    if around is None or value.id not in parameters(around) or far == 0:
        return None
    callee = Callee(module, around, parameters(around))
    found = (
        _moved(program, home, passed, outer, far - 1)
        for home, outer in program.calls_of(around)
        for name, passed in callee.passed(outer)
        if name == value.id
    )
    return next(filter(None, found), None)


def _leaves_in_place(module: Module, node: ast.expr, row: ResourceRow | None) -> bool:
    """Return whether code around a stream does not move it: it asks for its name or length, closes it, or returns it."""
    if isinstance(getattr(node, "ctx", None), ast.Store):
        return True
    match module.parent(node):
        case ast.Attribute(attr=name):
            return name in _KEEPS_ITS_PLACE or (row is not None and _only_tells(row, name))
        case ast.withitem() | ast.Return():
            return True
        case ast.Call(func=func):
            return last_part(func) in ("closing", "enter_context", "isinstance", "print")
    return False


def _only_tells(row: ResourceRow, name: str) -> bool:
    """Return whether an attribute or a method of a resource gives data that does not depend on its position."""
    return name in row.plain and name not in {*row.position, *row.write, *row.configure}


def _has_no_position(module: Module, made: ast.expr) -> bool:
    """Return whether a call opens what has no position that reading moves: a table, an archive."""
    row = _row(module, made)
    return row is not None and not row.position


def _row(module: Module, made: ast.expr) -> ResourceRow | None:
    """Return the row of what a call opens."""
    if not isinstance(made, ast.Call):
        return None
    return load().resource(imports_of(module.tree).full_name(made.func) or dotted(made.func))


__all__ = ["check"]
