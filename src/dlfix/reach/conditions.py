"""How a test comes out, where it is known: so that code which a call does not run is not read."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from dlfix.project.trees import kept
from dlfix.reach.correlated import leaving_before
from dlfix.reach.predicates import COMPARING, agreed, joined, opposite, question
from dlfix.reach.values import Constant, Frame, Value

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.reach.evaluator import Evaluator

# The oldest Python that torch runs on, and any later one.
_VERSIONS = ((3, 10, 0), (3, 99, 0))
Surely = Callable[[ast.expr, Frame], list[Value]]  # all that an expression may be
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.Module)


def outcome(
    test: ast.expr, frame: Frame, interpreter: Evaluator, surely: Surely | None = None
) -> bool | None:
    """Return how a test comes out in a frame; None where that is not known.

    `surely` says all that an expression may be, where more is known than of the program as a whole.
    """
    match test:
        case ast.Constant(value=value):
            return bool(value)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return opposite(outcome(operand, frame, interpreter, surely))
        case ast.BoolOp(op=op, values=values):
            return joined([outcome(value, frame, interpreter, surely) for value in values], op)
        case ast.Compare(left=left, ops=[op], comparators=[right]) if _is_version(left):
            return _of_version(left, op, right)
    asked = question(test, frame, interpreter)
    if asked is None:
        return None
    known = (surely or interpreter.must.values)(asked.subject, frame)
    return agreed([asked.answer(value) for value in known])


def _is_version(node: ast.expr) -> bool:
    match node:
        case ast.Attribute(value=ast.Name(id="sys"), attr="version_info"):
            return True
        case ast.Subscript(value=inner) | ast.Attribute(value=inner, attr="major" | "minor"):
            return _is_version(inner)
    return False


def _of_version(left: ast.expr, op: ast.cmpop, right: ast.expr) -> bool | None:
    """Return how a test of Python's version comes out on each version that torch runs on."""
    if not isinstance(op, (ast.Lt, ast.LtE, ast.Gt, ast.GtE)) and not _is_major(left):
        return None
    try:
        wanted = ast.literal_eval(right)
        answers = {bool(COMPARING[type(op)](_part(left, version), wanted)) for version in _VERSIONS}
    except (ValueError, TypeError, KeyError):
        return None
    return answers.pop() if len(answers) == 1 else None


def _is_major(node: ast.expr) -> bool:
    match node:
        case ast.Attribute(attr="major") | ast.Subscript(slice=ast.Constant(value=0)):
            return True
    return False


def _part(node: ast.expr, version: tuple[int, int, int]) -> object:
    """Return what an expression of `sys.version_info` is on a version."""
    match node:
        case ast.Attribute(attr="major"):
            return version[0]
        case ast.Attribute(attr="minor"):
            return version[1]
        case ast.Subscript(slice=ast.Constant(value=int(index))):
            return version[index]
        case ast.Subscript(slice=ast.Slice(lower=None, upper=ast.Constant(value=int(end)))):
            return version[:end]
        case ast.Subscript():
            raise ValueError
    return version


def is_dead(
    node: ast.AST, frame: Frame, interpreter: Evaluator, surely: Surely | None = None
) -> bool:
    """Return whether a node stands in a branch that a call of its function does not take."""
    for child, above in _decisions(node, frame.module):
        if isinstance(above, ast.If) and child is not above.test:
            held = outcome(above.test, frame, interpreter, surely)
            if held is not None and held is not (child in above.body):
                return True
        if isinstance(child, ast.match_case) and not _comes_to(child, frame, interpreter):
            return True
        if isinstance(child, ast.stmt) and _has_left(child, above, frame, interpreter, surely):
            return True
    return False


@kept
def _decisions(node: ast.AST, module: Module) -> tuple[tuple[ast.AST, ast.AST], ...]:
    """Return where it is decided whether a node is come to, outwards: a part of a statement, and the statement."""
    found = []
    child = node
    for above in module.ancestors(node):
        if isinstance(above, ast.If | ast.Match) or any(True for _ in leaving_before(child, above)):
            found.append((child, above))
        if isinstance(above, _SCOPES):
            break
        child = above
    return tuple(found)


def _has_left(
    child: ast.stmt,
    above: ast.AST,
    frame: Frame,
    interpreter: Evaluator,
    surely: Surely | None,
) -> bool:
    """Return whether a call has returned before it comes to a statement of a block."""
    return any(
        isinstance(each.body[-1], (ast.Return, ast.Raise))
        and outcome(each.test, frame, interpreter, surely) is True
        for each in leaving_before(child, above)
    )


# The cases of a match


def _comes_to(case: ast.match_case, frame: Frame, interp: Evaluator) -> bool:
    """Return whether a value of a match's subject may come to a case."""
    match = frame.module.parent(case)
    assert isinstance(match, ast.Match)
    known = interp.must.values(match.subject, frame)
    return not known or any(_takes(case, match, value, frame, interp) for value in known)


def _takes(
    case: ast.match_case, match: ast.Match, value: Value, frame: Frame, interp: Evaluator
) -> bool:
    for each in match.cases:
        held = _fits(each.pattern, value, frame, interp)
        if each is case:
            return held is not False
        if held is True and each.guard is None:
            return False
    return True


def _fits(pattern: ast.pattern, value: Value, frame: Frame, interp: Evaluator) -> bool | None:
    match pattern:
        case ast.MatchAs(pattern=None):
            return True
        case ast.MatchAs(pattern=inner) if inner is not None:
            return _fits(inner, value, frame, interp)
        case ast.MatchOr(patterns=patterns):
            parts = [_fits(each, value, frame, interp) for each in patterns]
            return True if True in parts else (None if None in parts else False)
        case ast.MatchSingleton(value=single):
            return _answers(ast.Is(), ast.Constant(single), value, frame, interp)
        case ast.MatchValue(value=wanted):
            return _answers(ast.Eq(), wanted, value, frame, interp)
        case ast.MatchSequence() | ast.MatchMapping() if isinstance(value, Constant):
            return False
    return None


def _answers(
    op: ast.cmpop, wanted: ast.expr, value: Value, frame: Frame, interp: Evaluator
) -> bool | None:
    asked = question(ast.Compare(ast.Name("_", ast.Load()), [op], [wanted]), frame, interp)
    return asked.answer(value) if asked is not None else None
