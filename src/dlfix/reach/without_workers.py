"""Code that runs only where no workers are started: under `if args.workers == 0`."""

from __future__ import annotations

import ast
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

from dlfix.project import scan
from dlfix.project.module import Module
from dlfix.project.order import start
from dlfix.project.syntax import Function as Def
from dlfix.project.syntax import first_parameter
from dlfix.reach.correlated import is_set_again, tests_around
from dlfix.reach.methods import takes_instance
from dlfix.reach.predicates import question
from dlfix.reach.values import Argument, Bound, Constant, Frame, Function, Instance

if TYPE_CHECKING:
    from dlfix.reach.crossing import Boundary
    from dlfix.reach.evaluator import Evaluator

_COUNTS = (1, 2, 8)
Source = tuple[object, ...]


def runs_without_workers(
    node: ast.AST, frame: Frame, boundary: Boundary, interpreter: Evaluator
) -> bool:
    """Return whether a test around a node asks for a boundary's number of workers, and is true only for none."""
    if not tests_around(node, frame.module):
        return False
    row = boundary.row
    if row is None or not row.workers:
        return _is_contradicted(node, frame, boundary, interpreter)
    counts = [
        argument
        for name, argument in boundary.arguments.items()
        if name.partition("[")[0] == row.workers
    ]
    sources = {source_of(count, interpreter) for count in counts}
    return () not in sources and _asked_for_none(node, frame, sources, interpreter)


def _is_contradicted(
    node: ast.AST, frame: Frame, boundary: Boundary, interpreter: Evaluator
) -> bool:
    """Return whether a test around a node cannot come out as it must where a boundary is.

    `if args.workers == 0: ... else: Process(...)` leaves numbers above 0 there.
    """
    left = _left_at(boundary, interpreter)
    for test, held in tests_around(node, frame.module) if left else ():
        asked = question(test, frame, interpreter)
        if asked is not None:
            values = left.get(source_of(Bound(asked.subject, frame), interpreter), ())
            if values and all(asked.answer(Constant(each)) is (not held) for each in values):
                return True
    return False


def _left_at(boundary: Boundary, interpreter: Evaluator) -> dict[Source, list[int]]:
    """Return which of some numbers variables may be where a boundary is, as tests around it ask."""
    found: dict[Source, list[int]] = {}
    for test, held in tests_around(boundary.node, boundary.frame.module):
        asked = question(test, boundary.frame, interpreter)
        if asked is not None:
            source = source_of(Bound(asked.subject, boundary.frame), interpreter)
            before = found.get(source, [0, *_COUNTS])
            found[source] = [n for n in before if asked.answer(Constant(n)) is held]
    return {source: left for source, left in found.items() if source}


def runs_beside_no_workers(
    call: ast.AST, module: Module, parameters: AbstractSet[str], interpreter: Evaluator
) -> bool:
    """Return whether a call, or a block, only runs where a number is 0 that a call next to it takes as its workers."""
    if not tests_around(call, module):
        return False
    scope = module.scope_of(call)
    frame = interpreter.frame_at(module, call)
    sources = {
        source_of(Bound(value, frame), interpreter)
        for other, value in _given_as(module, parameters)
        if module.scope_of(other) is scope
    }
    return _asked_for_none(call, frame, sources - {()}, interpreter) or _asked_for_none(
        call, frame, _passed_on(call, frame, parameters, interpreter) - {()}, interpreter
    )


def _passed_on(
    node: ast.AST, frame: Frame, parameters: AbstractSet[str], interpreter: Evaluator
) -> set[Source]:
    """Return what functions called next to a node pass on as numbers of workers: `loader(rows, args)`."""
    if not any(question(test, frame, interpreter) for test, _ in tests_around(node, frame.module)):
        return set()
    found: set[Source] = set()
    for call in frame.module.calls_in(frame.scope):
        if not (call.args or call.keywords):
            continue
        for function in _functions_in_view(call, frame, interpreter):
            scope = function.module.inner_scope(function.node)
            given = [
                v
                for c, v in _given_as(function.module, parameters)
                if function.module.scope_of(c) is scope
            ]
            arguments = interpreter.calls.arguments(call, frame) if given else None
            if arguments is not None:
                inner = interpreter.calls.frame_of(function, arguments, call, frame, None)
                found |= {
                    source_of(Bound(v, inner), interpreter) for v in given if inner is not None
                }
    return found


def _functions_in_view(call: ast.Call, frame: Frame, interpreter: Evaluator) -> list[Function]:
    if not isinstance(call.func, ast.Name):
        return []
    values = interpreter.values_at(call.func, frame)
    return [value for value in values if isinstance(value, Function)]


def _given_as(module: Module, parameters: AbstractSet[str]) -> list[tuple[ast.Call, ast.expr]]:
    """Return the calls of a module that pass one of some keywords, and what they pass."""
    table = module.table(_by_keyword, scan.may_name)
    found = [given for parameter in parameters for given in table.get(parameter, ())]
    return sorted(found, key=lambda given: start(given[0]))


def _by_keyword(module: Module) -> dict[str, list[tuple[ast.Call, ast.expr]]]:
    found: dict[str, list[tuple[ast.Call, ast.expr]]] = {}
    for call in module.calls:
        for keyword in call.keywords:
            if keyword.arg is not None:
                found.setdefault(keyword.arg, []).append((call, keyword.value))
    return found


def _asked_for_none(
    node: ast.AST, frame: Frame, wanted: AbstractSet[Source], interpreter: Evaluator
) -> bool:
    """Return whether a node is under a test that comes out so only where one of some numbers is 0."""
    return bool(wanted) and any(
        _with_workers(test, frame, wanted, interpreter) is (not held)
        for test, held in tests_around(node, frame.module)
    )


def _with_workers(
    test: ast.expr, frame: Frame, wanted: AbstractSet[Source], interpreter: Evaluator
) -> bool | None:
    """Return how a test of the number of workers comes out where there are some."""
    asked = question(test, frame, interpreter)
    if asked is None or source_of(Bound(asked.subject, frame), interpreter) not in wanted:
        return None
    answers = {asked.answer(Constant(count)) for count in _COUNTS}
    return answers.pop() if len(answers) == 1 else None


def source_of(argument: Argument, interpreter: Evaluator) -> Source:
    """Return the variable, or attribute of one, that an argument is passed on from; () if it is none."""
    if not isinstance(argument, Bound):
        return ()
    node, frame = argument.node, argument.frame
    if isinstance(node, ast.Attribute):
        return _attribute_source(node, frame, interpreter)
    if not isinstance(node, ast.Name):
        return ()
    receiver = _receiver(node, frame)
    if receiver is not None:
        return source_of(receiver, interpreter)
    binder = frame.scope.lookup(node.id)
    bindings = binder.bindings.get(node.id, ()) if binder is not None else ()
    if len(bindings) != 1 or binder is None:
        return ()
    given = frame.arguments.get(node.id, ()) if frame.arguments and binder is frame.scope else ()
    if len(given) == 1 and isinstance(given[0], Bound):
        return source_of(given[0], interpreter)
    return (binder, node.id)


def _receiver(node: ast.Name, frame: Frame) -> Bound | None:
    """Return what a method is called on, of the name that it has for its object."""
    function, call, caller = frame.scope.node, frame.call, frame.caller
    if not isinstance(function, Def) or not isinstance(frame.owner, Instance) or caller is None:
        return None
    if node.id != first_parameter(function) or not takes_instance(function):
        return None
    func = call.func if isinstance(call, ast.Call) else None
    named = isinstance(func, ast.Attribute) and func.attr == function.name
    return Bound(func.value, caller) if named else None  # type: ignore[union-attr]


def _attribute_source(node: ast.Attribute, frame: Frame, interpreter: Evaluator) -> Source:
    if isinstance(node.value, ast.Name) and isinstance(frame.owner, Instance):
        stored = interpreter.instances.only_store(frame.owner, node, frame)
        if stored is not None:
            return source_of(stored, interpreter)
    inner = source_of(Bound(node.value, frame), interpreter)
    return (*inner, node.attr) if inner and not is_set_again(node.attr, frame.module) else ()
