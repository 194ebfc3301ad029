"""What a function newly takes along with each task of a pool, once it no longer reads it as a global under the main guard.

Tasks are pickled under every start method, a function by its name. Forked workers found the names under the guard in
the memory they inherited, so nothing else was ever pickled.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlfix.fixing.hoisting.captures import Capture
from dlfix.fixing.hoisting.lifetime import is_scalar
from dlfix.project.targets import asks_for_state
from dlfix.reach.crossing import Crossing
from dlfix.reach.entry_points import under_guard
from dlfix.reach.values import (
    Bound,
    Class,
    Constant,
    Container,
    Derived,
    External,
    ExternalCall,
    Frame,
    Function,
    Instance,
    Value,
)
from dlfix.rules.reading.unpickling import raises_for_state

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.reach.analysis import Analysis

_POOLS = frozenset({"Pool", "Executor"})
# Library calls that give a path, a text or the like.
_SMALL_PARTS = ("os.path.", "pathlib.", "datetime.", "time.")
_SMALL_CALLS = frozenset(
    {"os.getcwd", "os.getenv", "os.cpu_count", "multiprocessing.cpu_count", "argparse.Namespace"}
    | {"torch.device", "builtins.int", "builtins.float", "builtins.str", "builtins.bool"}
)
_ARGUMENTS = frozenset({"parse_args", "parse_known_args"})
_MOST = 20  # items of what counts as small
_DEPTH = 3


def newly_sends(crossing: Crossing, function: Value) -> bool:
    """Return whether a function is sent with each task, and was found by its name in forked workers."""
    if not isinstance(function, Function) or isinstance(function.node, ast.Lambda):
        return False
    row = crossing.boundary.row
    with_tasks = row is not None and row.kind in _POOLS and bool(row.returns)
    return with_tasks and under_guard(function.module, function.node) is not None


def unpicklable(value: Value, analysis: Analysis, module: Module) -> str:
    """Return why an object cannot be pickled on the oldest Python of a project, empty where nothing is known against it."""
    if not isinstance(value, Instance) or not asks_for_state(module.path):
        return ""
    found = raises_for_state(analysis, value)
    if found is None:
        return ""
    owner, node = found
    place = f"{owner.module.path.name}:{getattr(node, 'lineno', 1)}"
    return (
        f"cannot be pickled before Python 3.11 because `__getattr__` of `{owner.name}` does not raise "
        f"AttributeError for `__getstate__` ({place})"
    )


def are_small(capture: Capture, values: list[Value], frame: Frame, analysis: Analysis) -> bool:
    """Return whether a captured value is surely small, by what it may be or by how it is written."""
    return _all_small(values, analysis, _DEPTH) or _is_bound_small(
        capture.name, frame, analysis, _DEPTH
    )


def _is_bound_small(name: str, frame: Frame, analysis: Analysis, depth: int) -> bool:
    bindings = frame.scope.bindings.get(name, [])
    return bool(bindings) and all(
        each.kind == "assign"
        and not each.path
        and each.value is not None
        and _is_written_small(each.value, frame, analysis, depth)
        for each in bindings
    )


def _is_written_small(node: ast.expr, frame: Frame, analysis: Analysis, depth: int) -> bool:
    """Return whether an expression gives a number, a text or a flag: a comparison of arrays gives an array."""
    match node:
        case ast.Compare(left=left, comparators=others):
            parts = [left, *others]
        case ast.BinOp(left=left, right=right):
            parts = [left, right]  # a number, not `[0] * count`
            values = [v for each in parts for v in analysis.values(Bound(each, frame))]
            if any(isinstance(each, Container) for each in values):
                return False
        case ast.BoolOp(values=parts):
            pass
        case ast.UnaryOp(operand=operand):
            parts = [operand]
        case ast.Name(id=name) if depth and _is_bound_small(name, frame, analysis, depth - 1):
            return True
        case _:
            values = analysis.values(Bound(node, frame))
            return is_scalar(frame.scope, node) or _all_small(values, analysis, _DEPTH)
    return all(_is_written_small(each, frame, analysis, depth) for each in parts)


def _is_small(value: Value, analysis: Analysis, depth: int = _DEPTH) -> bool:
    """Return whether a value is surely small, and can be pickled: a number, a text, parsed arguments, a few of them."""
    match value:
        case Constant() | External() | Class():
            return True
        case ExternalCall(name=name):
            return name.startswith(_SMALL_PARTS) or name in _SMALL_CALLS
        case Derived(how=how, origin=origin):
            return how in _ARGUMENTS or _is_small(origin, analysis, depth)
        case Container(node=ast.Tuple() | ast.List() | ast.Dict() | ast.Set(), items=items):
            few = depth > 0 and len(items) <= _MOST and all(key is not None for key, _ in items)
            return few and all(
                _all_small(analysis.values(item), analysis, depth - 1) for _, item in items
            )
    return False


def _all_small(values: list[Value], analysis: Analysis, depth: int) -> bool:
    return bool(values) and all(_is_small(each, analysis, depth) for each in values)
