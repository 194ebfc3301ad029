"""Put statements of a main guard above it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import libcst as cst

from dlfix.fixing.planners.worker_globals_above import AboveGuardPlan
from dlfix_codemods.tools import positions

BLANK = cst.EmptyLine(indent=False)


def rewrite(module: cst.Module, plan: AboveGuardPlan) -> cst.Module:
    """Carry out one plan; the comments above a statement go with it."""
    lines = positions.find(module, plan.statements, cst.SimpleStatementLine)
    guard = positions.find(module, [plan.guard], cst.If)[plan.guard]
    assert isinstance(guard, cst.If)
    assert isinstance(guard.body, cst.IndentedBlock)
    block = guard.body
    moved = [lines[span] for span in plan.statements]
    gap, comments = _parted(guard.leading_lines)
    order = [next(i for i, each in enumerate(block.body) if each is line) for line in moved]
    apart = [gap, *([BLANK] if below > above + 1 else [] for above, below in pairwise(order))]
    placed = [_placed(each, blanks) for each, blanks in zip(moved, apart, strict=True)]
    block = block.with_changes(body=_left(block.body, moved))
    below = guard.with_changes(body=block, leading_lines=[BLANK, *comments])
    index = module.body.index(guard)
    body = [*module.body[:index], *placed, below, *module.body[index + 1 :]]
    return module.with_changes(body=body)


def _placed(statement: cst.CSTNode, gap: Sequence[cst.EmptyLine]) -> cst.SimpleStatementLine:
    """Return a statement for its new place, below a gap."""
    assert isinstance(statement, cst.SimpleStatementLine)
    blanks, comments = _parted(statement.leading_lines)
    blanks = [*gap] or [BLANK for _ in blanks]
    return statement.with_changes(leading_lines=[*blanks, *comments])


def _left(
    body: Sequence[cst.BaseStatement], moved: Sequence[cst.CSTNode]
) -> list[cst.BaseStatement]:
    """Return the statements that a guard keeps, each with the larger of the gaps above it."""
    left: list[cst.BaseStatement] = []
    gone: list[cst.EmptyLine] = []
    for statement in body:
        lines = getattr(statement, "leading_lines", ())
        if any(statement is each for each in moved):
            gone = max(gone, _parted(lines)[0], key=len)
            continue
        blanks, comments = _parted(lines)
        blanks = max(gone, blanks, key=len) if left else []
        left.append(statement.with_changes(leading_lines=[*blanks, *comments]))
        gone = []
    return left


def _parted(
    lines: Sequence[cst.EmptyLine],
) -> tuple[list[cst.EmptyLine], list[cst.EmptyLine]]:
    """Part lines into the blank ones that they begin with, and the others."""
    first = next((i for i, line in enumerate(lines) if line.comment), len(lines))
    return list(lines[:first]), list(lines[first:])
