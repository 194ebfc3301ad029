"""What a function is only passed by calls that do not come to where it ships things: `run(f, rows, workers=0)`.

Nor by calls of objects that were told to keep no processes: `Runner(kind="thread").run(f)`.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlfix.project.module import enclosing_function
from dlfix.reach.conditions import is_dead
from dlfix.reach.correlated import tests_around
from dlfix.reach.values import Bound, ExternalCall, Function

if TYPE_CHECKING:
    from dlfix.reach.crossing import Boundary
    from dlfix.reach.interpreter import Interpreter
    from dlfix.reach.values import Argument, Frame, Value


def never_shipped(argument: Argument, boundary: Boundary, interpreter: Interpreter) -> set[Value]:
    """Return what a parameter is given by calls alone that leave out the branch of a boundary, or use no processes."""
    if not isinstance(argument, Bound) or not isinstance(argument.node, ast.Name):
        return set()
    frame, module = argument.frame, argument.frame.module
    function = enclosing_function(module, boundary.node)
    if not isinstance(function, ast.FunctionDef) or frame.arguments is not None:
        return set()
    binding = frame.scope.bindings.get(argument.node.id, [None])[0]
    is_parameter = frame.scope.node is function and getattr(binding, "kind", "") == "parameter"
    pool = _own_pool(boundary)
    if not is_parameter or not (pool or tests_around(boundary.node, module)):
        return set()
    given: dict[bool, set[Value]] = {True: set(), False: set()}
    run, calls = Function(function, frame.enclosing or frame), interpreter.calls
    for call, caller in interpreter.callers.of(frame):
        for owner in _owners(call, caller, interpreter) if pool is not None else [frame.owner]:
            inside = calls.frame_of(run, calls.arguments(call, caller), call, caller, owner)
            if inside is not None:
                never = is_dead(boundary.node, inside, interpreter) or (
                    pool is not None and _is_another(pool, inside, interpreter)
                )
                given[never] |= {
                    reached.value for reached in interpreter.evaluate(argument.node, inside)
                }
    return given[True] - given[False]


def _own_pool(boundary: Boundary) -> ast.Attribute | None:
    """Return the attribute that keeps the pool which a method of an object sends to: `self.pool.submit(f)`."""
    match boundary.node:
        case ast.Call(func=ast.Attribute(value=ast.Attribute(value=ast.Name(id="self")) as pool)):
            return pool
    return None


def _owners(call: ast.Call, caller: Frame, interpreter: Interpreter) -> list[Value | None]:
    """Return the objects whose method a call runs."""
    if not isinstance(call.func, ast.Attribute):
        return [None]
    return [*interpreter.values_at(call.func.value, caller)]


def _is_another(pool: ast.Attribute, inside: Frame, interpreter: Interpreter) -> bool:
    """Return whether an object keeps none of the pools of processes: it was told to make one of threads."""
    made = interpreter.values_at(pool, inside)
    living = [
        each
        for each in made
        if not isinstance(each, ExternalCall) or not is_dead(each.node, each.frame, interpreter)
    ]
    return bool(living) and all(
        isinstance(each, ExternalCall) and interpreter.catalog.boundary(each.name) is None
        for each in living
    )
