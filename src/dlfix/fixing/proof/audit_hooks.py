"""Functions of a program that hear of each file it opens, or of each call: they hear of a late opening late."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from dlfix.catalog import load
from dlfix.fixing.proof.changes import ClassChange, Regression
from dlfix.fixing.proof.late_calls import late_code
from dlfix.fixing.proof.late_code import late_openers
from dlfix.fixing.proof.left_behind import is_filled
from dlfix.fixing.proof.program import Program
from dlfix.fixing.proof.syntax import FUNCTIONS, Function, calls_in, own_attributes
from dlfix.project.import_time import ImportTime
from dlfix.project.library_names import uses
from dlfix.project.module import Module, is_test
from dlfix.project.roots import STANDARD
from dlfix.project.syntax import dotted, parameters

_AUDIT = "sys.addaudithook"
_TRACES = ("sys.settrace", "sys.setprofile", "threading.settrace", "threading.setprofile")
# The events of opening a file, those of connections, and the modules of Python that make these.
_OF_FILES = ("open", "os.", "mmap.")
_OF_CONNECTIONS = ("socket.", "urllib.", "http.", "ftplib.", "smtplib.", "imaplib.", "poplib.")
_CONNECTS = frozenset(each.rstrip(".") for each in _OF_CONNECTIONS) | {"ssl"}


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield a handle that is opened later than before, where a function of the program hears of it."""
    late = [each for each in late_openers(change) if _is_late_in_parent(change, each.name)]
    place = next(_hearing(change), None) if late else None
    if place is not None:
        module, node = place
        yield change.regression(
            late[0],
            f"a function hears of what the program opens ({module.path.name}:{node.lineno}), but the handle "
            f"is opened later than before (line {late[0].lineno})",
        )


def _is_late_in_parent(change: ClassChange, name: str) -> bool:
    """Return whether the process that makes an object opens its handle later: the constructor neither fills it nor uses it."""
    if name not in change.made_lazy or is_filled(change, name):
        return False
    used = [n for _, f in change.constructed_after for n in own_attributes(f) if n.attr == name]
    deleted = any(isinstance(each.ctx, ast.Del) for each in used)
    return deleted or not used


def _hearing(change: ClassChange) -> Iterator[tuple[Module, ast.expr]]:
    """Yield where the program installs a function that hears of what opens late."""
    project = change.new.project
    for full in (_AUDIT, *_TRACES):
        for module, node in uses(project, full):
            if is_test(module):
                continue
            call = module.parent(node)
            given = call.args if isinstance(call, ast.Call) and call.func is node else []
            if given and isinstance(given[0], ast.Constant):
                continue  # `sys.settrace(None)` ends it
            if full == _AUDIT and given and _is_deaf(change, module, given[0]):
                continue
            yield module, node


def _is_deaf(change: ClassChange, module: Module, hook: ast.expr) -> bool:
    """Return whether a hook surely goes on only for events that no late code raises."""
    function = hook if isinstance(hook, ast.Lambda) else _function(change.new, module, hook)
    events = _events_of(function) if function is not None else None
    if events is None:
        return False
    raised = tuple(_raised(change))
    return not any(each.startswith(raised) or "open".startswith(each) for each in events)


def _function(program: Program, module: Module, node: ast.expr) -> Function | None:
    """Return the function that a name stands for, also one that is defined in another."""
    found = program.function_of(module, node)
    if found is not None:
        return found[1]
    scope = module.scope_of(node).lookup(node.id) if isinstance(node, ast.Name) else None
    bound = [each.node for each in scope.bindings.get(dotted(node), ())] if scope else []
    defined = [each for each in bound if isinstance(each, FUNCTIONS)]
    return defined[0] if len(defined) == len(bound) == 1 else None


def _raised(change: ClassChange) -> Iterator[str]:
    """Yield what the names of the events start with that late code may raise."""
    yield from _OF_FILES
    for late in late_code(change):
        imports = ImportTime(late.module.tree)
        for call in calls_in(late.nodes):
            name = imports.full_name(call.func)
            root = name.partition(".")[0]
            yield f"{root}."
            row = load().function(name)
            known = root in STANDARD - _CONNECTS or (row is not None and not row.environment)
            if not known and name != "open":
                yield from _OF_CONNECTIONS


def _events_of(function: Function | ast.Lambda) -> frozenset[str] | None:
    """Return the events for which a hook goes on, None where it may do so for any."""
    names = parameters(function)
    event = names[1] if names[:1] == ["self"] and len(names) > 1 else (names or [""])[0]
    if isinstance(function, ast.Lambda):
        match function.body:
            case ast.BoolOp(op=ast.And(), values=[test, *_]) | ast.IfExp(test=test):
                return _asked_for(test, event)
        return None
    body = [each for each in function.body if not _is_text(each)]
    match body[:1]:
        case [
            ast.If(test=ast.Compare(ops=[ast.NotEq() | ast.NotIn()]) as test, body=[ast.Return()])
        ]:
            return _constants(test, event)
    return _of_branches(body, event)


def _of_branches(body: Sequence[ast.stmt], event: str) -> frozenset[str] | None:
    """Return the events that the branches of a body ask for, None where something runs for any."""
    found: frozenset[str] = frozenset()
    for each in body:
        asked = _asked_for(each.test, event) if isinstance(each, ast.If) else None
        other = _of_branches(each.orelse, event) if isinstance(each, ast.If) else None
        if asked is None or other is None:
            return None
        found |= asked | other
    return found


def _asked_for(test: ast.expr, event: str) -> frozenset[str] | None:
    """Return the events of which a condition holds for one alone; None where it may for any."""
    match test:
        case ast.BoolOp(op=ast.And(), values=values):
            known = [each for value in values if (each := _asked_for(value, event)) is not None]
            return known[0] if known else None
        case ast.Compare(ops=[ast.Eq() | ast.In()]):
            return _constants(test, event)
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="startswith"), args=[given]):
            return _texts(given) if name == event else None
    return None


def _constants(test: ast.Compare, event: str) -> frozenset[str] | None:
    named = isinstance(test.left, ast.Name) and test.left.id == event
    return _texts(test.comparators[0]) if named else None


def _texts(node: ast.expr) -> frozenset[str] | None:
    """Return the texts that an expression spells out, None where there is something else."""
    given = node.elts if isinstance(node, (ast.Tuple, ast.List, ast.Set)) else [node]
    texts = [each.value for each in given if isinstance(each, ast.Constant)]
    return frozenset(map(str, texts)) if len(texts) == len(given) else None


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


__all__ = ["check"]
