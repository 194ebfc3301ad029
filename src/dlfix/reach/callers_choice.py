"""What a function is only passed by calls that do not come to where it ships things: `run(f, rows, workers=0)`."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlfix.project.module import enclosing_function
from dlfix.reach.conditions import is_dead
from dlfix.reach.correlated import tests_around
from dlfix.reach.values import Bound, Function

if TYPE_CHECKING:
    from dlfix.reach.crossing import Boundary
    from dlfix.reach.interpreter import Interpreter
    from dlfix.reach.values import Argument, Value


def never_shipped(argument: Argument, boundary: Boundary, interpreter: Interpreter) -> set[Value]:
    """Return what a parameter is given by calls alone that leave out the branch of a boundary."""
    if not isinstance(argument, Bound) or not isinstance(argument.node, ast.Name):
        return set()
    frame, module = argument.frame, argument.frame.module
    function = enclosing_function(module, boundary.node)
    if not isinstance(function, ast.FunctionDef) or frame.arguments is not None:
        return set()
    binding = frame.scope.bindings.get(argument.node.id, [None])[0]
    is_parameter = frame.scope.node is function and getattr(binding, "kind", "") == "parameter"
    if not is_parameter or not tests_around(boundary.node, module):
        return set()
    given: dict[bool, set[Value]] = {True: set(), False: set()}
    run, calls = Function(function, frame.enclosing or frame), interpreter.calls
    for call, caller in interpreter.callers.of(frame):
        inside = calls.frame_of(run, calls.arguments(call, caller), call, caller, frame.owner)
        if inside is not None:
            dead = is_dead(boundary.node, inside, interpreter)
            given[dead] |= {
                reached.value for reached in interpreter.evaluate(argument.node, inside)
            }
    return given[True] - given[False]
