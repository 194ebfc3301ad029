"""Code that runs only where no workers are started: under `if args.workers == 0`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlfix.reach.questions import question
from dlfix.reach.values import Argument, Bound, Constant, Frame, Instance

if TYPE_CHECKING:
    from dlfix.reach.crossing import Boundary
    from dlfix.reach.interpreter import Interpreter

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.Module)
_COUNTS = (1, 2, 8)
Source = tuple[object, ...]


def runs_without_workers(
    node: ast.AST, frame: Frame, boundary: Boundary, interpreter: Interpreter
) -> bool:
    """Tell whether a test around a node asks for the number of workers, and is true only for none."""
    wanted = _workers(boundary, interpreter)
    if not wanted:
        return False
    child = node
    for above in frame.module.ancestors(node):
        if isinstance(above, ast.If) and child is not above.test:
            held = _with_workers(above.test, frame, wanted, interpreter)
            if held is not None and held is not (child in above.body):
                return True
        if isinstance(above, _SCOPES):
            return False
        child = above
    return False


def _workers(boundary: Boundary, interpreter: Interpreter) -> set[Source]:
    """Return where the numbers of workers of a boundary come from."""
    row = boundary.row
    given = [
        _source(argument, interpreter)
        for name, argument in boundary.arguments.items()
        if row is not None and row.workers and name.partition("[")[0] == row.workers
    ]
    return {source for source in given if source} if all(given) else set()


def _with_workers(
    test: ast.expr, frame: Frame, wanted: set[Source], interpreter: Interpreter
) -> bool | None:
    """Return how a test of the number of workers comes out where there are some."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        held = _with_workers(test.operand, frame, wanted, interpreter)
        return None if held is None else not held
    asked = question(test, frame, interpreter)
    if asked is None or _source(Bound(asked.subject, frame), interpreter) not in wanted:
        return None
    answers = {asked.answer(Constant(count)) for count in _COUNTS}
    return answers.pop() if len(answers) == 1 else None


def _source(argument: Argument, interpreter: Interpreter) -> Source:
    """Return the variable, or attribute of one, that an argument is passed on from; () if it is none."""
    if not isinstance(argument, Bound):
        return ()
    node, frame = argument.node, argument.frame
    if isinstance(node, ast.Attribute):
        if isinstance(node.value, ast.Name) and isinstance(frame.owner, Instance):
            stored = interpreter.instances.only_store(frame.owner, node, frame)
            if stored is not None:
                return _source(stored, interpreter)
        inner = _source(Bound(node.value, frame), interpreter)
        return (*inner, node.attr) if inner else ()
    if not isinstance(node, ast.Name):
        return ()
    binder = frame.scope.lookup(node.id)
    bindings = binder.bindings.get(node.id, ()) if binder is not None else ()
    if len(bindings) != 1 or binder is None:
        return ()
    given = frame.arguments.get(node.id, ()) if frame.arguments and binder is frame.scope else ()
    if len(given) == 1 and isinstance(given[0], Bound):
        return _source(given[0], interpreter)
    return (binder, node.id)
