"""Code that asks which function has called it: the answer is another one where the call has moved."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Iterator, Sequence

from dlfix.fixing.proof.callables import Moved
from dlfix.fixing.proof.changes import ClassChange, FileChange, Regression
from dlfix.fixing.proof.late_calls import LateCode, late_code, with_what_it_calls
from dlfix.fixing.proof.syntax import executed
from dlfix.project.library_names import imported_as
from dlfix.project.module import Module

# What gives the frame of the function that asks, or one so many calls above.
_FRAMES = ("sys._getframe", "sys._getframemodulename", "inspect.currentframe")
_STACKS = (
    "inspect.stack", "inspect.getouterframes", "sys._current_frames", "traceback.extract_stack",
    "traceback.format_stack", "traceback.print_stack", "traceback.walk_stack",
)  # fmt: skip
_LOOPS = (ast.For, ast.AsyncFor, ast.While, ast.comprehension)


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield a call that has moved, and leads to code that asks who calls it."""
    late = _asking(late_code(change))
    if late is not None:
        yield change.regression(
            late.at, f"{_says(late)}, but it is called by another one than before (line {late.at})"
        )


def check_moved(change: FileChange) -> Iterator[Regression]:
    """Yield a function that has another name at module level, and leads to code that asks who calls it."""
    moved = Moved(change)
    had = {getattr(each, "name", "") for each in moved.gone}
    for node in moved.defined:
        if isinstance(node, ast.ClassDef) or node.name in had:
            continue
        start = LateCode(change.after, node, node.body, 0, node.lineno)
        late = _asking(with_what_it_calls(change.new, [start]))
        if late is not None:
            reason = f"{_says(late)}, but `{node.name}` had another name (line {node.lineno})"
            yield change.regression(node.name, node, reason)


def _asking(code: Iterable[LateCode]) -> LateCode | None:
    """Return what asks who calls it, where the answer may be the code that moved, or one above."""
    for each in code:
        if levels_asked_for(each.module, each.nodes) >= each.far:
            return each
    return None


def _says(late: LateCode) -> str:
    place = f"{late.module.path.name}:{late.function.lineno}"
    return f"`{late.function.name}` asks which function calls it ({place})"


def levels_asked_for(module: Module, nodes: Sequence[ast.stmt]) -> float:
    """Return how many calls above itself some code asks for: 0 is itself, -1 where it does not ask."""
    frames = [level for node in executed(nodes) for level in _asked(module, node)]
    back = [n for n in executed(nodes) if isinstance(n, ast.Attribute) and n.attr == "f_back"]
    if not back:
        return max(frames, default=-1)
    repeated = any(isinstance(each, _LOOPS) for n in back for each in module.ancestors(n))
    return max(frames) + len(back) if frames and not repeated else math.inf


def _asked(module: Module, node: ast.AST) -> Iterator[float]:
    name = imported_as(module, node.func) if isinstance(node, ast.Call) else ""
    if not isinstance(node, ast.Call) or name not in (*_FRAMES, *_STACKS):
        return
    above = module.parent(node)
    level: ast.AST = ast.Constant(0)
    if name in _FRAMES:
        level = node.args[0] if node.args else level
    elif name == "inspect.stack" and isinstance(above, ast.Subscript):
        level = above.slice  # `inspect.stack()[1].function`
    else:
        yield math.inf
        return
    match level:
        case ast.Constant(value=int(number)):
            yield number
        case _:
            yield math.inf


__all__ = ["check", "check_moved", "levels_asked_for"]
