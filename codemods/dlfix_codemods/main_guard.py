"""Put what a script does under `if __name__ == "__main__":`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import ClassVar

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider

from dlfix.fixing.planners.main_guard import MainGuardPlan
from dlfix.fixing.rendering import code_of
from dlfix.fixing.script_blocks import CELL, is_marker
from dlfix.source.text import Position
from dlfix_codemods.base import PlannedCodemod
from dlfix_codemods.tools import blocks

BLANK = cst.EmptyLine(indent=False)
Statement = cst.SimpleStatementLine | cst.BaseCompoundStatement


class MainGuard(PlannedCodemod):
    """Put a script's statements under a main guard."""

    DESCRIPTION = "Move script code under a main guard."
    NAME: ClassVar[str] = "main_guard"

    @staticmethod
    def rewrite(module: cst.Module, plan: MainGuardPlan) -> cst.Module:
        """Carry out one plan; code outside it stays to the byte."""
        indices = _indices(module)
        moved = {indices[span.start] for guard in plan.guards for span in guard.statements}
        module, left = _leave_comments(module, moved)
        body: list[Statement | None] = list(module.body)
        for guard in plan.guards:
            taken = [indices[span.start] for span in guard.statements]
            last = taken[-1]
            block, above = _guard(module, taken, left)
            for index in taken:
                _hand_down_blanks(body, index)
                body[index] = None
            blanks = _blanks_wanted(module, last, _kept_before(body, last))
            if above:  # a cell keeps its distance
                blanks = _blanks(module.body[taken[0]])
            body[last] = block.with_changes(leading_lines=[*[BLANK] * blanks, *above])
        return module.with_changes(body=list(_with_comments(body, left)))


def _indices(module: cst.Module) -> dict[Position, int]:
    """Return the index in the body of each top-level statement, by where it starts."""
    wrapper = MetadataWrapper(module, unsafe_skip_copy=True)
    starts = wrapper.resolve(PositionProvider)
    found = {}
    for index, statement in enumerate(module.body):
        start = starts[statement].start
        found[Position(start.line, start.column)] = index
    return found


def _leave_comments(
    module: cst.Module, moved: set[int]
) -> tuple[cst.Module, dict[int, list[cst.EmptyLine]]]:
    """Take the comments that belong to what stays from the statements that move; each with its index."""
    body, left = list(module.body), {}
    for index in sorted(moved - {0}):
        lines = body[index].leading_lines
        cell = _to_marker(lines) if not moved.issuperset(_cell_of(body, index)) else 0
        count = cell or _closing(body, index, moved)
        if count:
            left[index] = list(lines[:count])
            body[index] = body[index].with_changes(leading_lines=lines[count:])
    return module.with_changes(body=body), left


def _cell_of(body: Sequence[Statement], index: int) -> Iterator[int]:
    """Yield the indices of the statements from one to the end of its cell."""
    yield index
    for below in range(index + 1, len(body)):
        if _to_marker(body[below].leading_lines):
            return
        yield below


def _to_marker(lines: Sequence[cst.EmptyLine]) -> int:
    """Return how many of some lines go down to the last marker of a cell, and the blank ones below it."""
    marks = [i for i, line in enumerate(lines) if line.comment and is_marker(line.comment.value)]
    cut = marks[-1] + 1 if marks else 0
    while 0 < cut < len(lines) and lines[cut].comment is None:
        cut += 1
    return cut


def _closing(body: Sequence[Statement], index: int, moved: Collection[int]) -> int:
    """Return how many lines above a statement belong to what stays: another value of a name, the end of its block."""
    lines = body[index].leading_lines
    count = 0
    if index - 1 not in moved:
        names = _assigned(body[index - 1])
        while count < len(lines) and _gives(lines[count], names):
            count += 1
    gap = next((i for i, line in enumerate(lines) if line.comment is None), 0)
    if count == 0 and gap and all(_is_rule(line) for line in lines[:gap]):
        return gap if any(i not in moved for i in _block_above(body, index)) else 0
    return count


def _block_above(body: Sequence[Statement], index: int) -> Iterator[int]:
    """Yield the indices of the statements above that no blank line parts from the place of one."""
    while index > 0:
        index -= 1
        yield index
        if any(line.comment is None for line in body[index].leading_lines):
            return


def _assigned(statement: Statement) -> set[str]:
    small = statement.body if isinstance(statement, cst.SimpleStatementLine) else ()
    targets = (
        each.target for part in small if isinstance(part, cst.Assign) for each in part.targets
    )
    return {each.value for each in targets if isinstance(each, cst.Name)}


def _gives(line: cst.EmptyLine, names: Collection[str]) -> bool:
    """Return whether a comment is an assignment to one of some names: a value that is switched off."""
    match = re.match(r"#+\s*(\w+)\s*=[^=]", line.comment.value) if line.comment else None
    return match is not None and match[1] in names


def _is_rule(line: cst.EmptyLine) -> bool:
    return line.comment is not None and not re.search(r"\w", line.comment.value)


def _with_comments(
    body: Sequence[Statement | None], left: Mapping[int, Sequence[cst.EmptyLine]]
) -> Iterator[Statement]:
    """Yield what is left of a body, with the comments that stay above what comes next."""
    waiting: list[cst.EmptyLine] = []
    for index, statement in enumerate(body):
        waiting += left.get(index, ())
        if statement is not None:
            has_gap = bool(waiting) and waiting[-1].comment is None
            lines = statement.leading_lines
            lines = _from_first_comment(lines) if has_gap else lines
            yield statement.with_changes(leading_lines=[*waiting, *lines])
            waiting = []


def _guard(
    module: cst.Module, taken: Sequence[int], left: Collection[int]
) -> tuple[cst.If, list[cst.EmptyLine]]:
    """Return the guard over some statements, and the cell markers that stay above it.

    Below the place of each of `left`, comments from above it stay.
    """
    existing: cst.If | None = None
    inner: list[Statement] = []
    above: list[cst.EmptyLine] = []
    footer: list[cst.EmptyLine] = []
    for order, index in enumerate(taken):
        statement: Statement = module.body[index]
        lines = _flush(statement.leading_lines)
        if order == 0:
            lines = _from_first_comment(lines)
            cut = _to_marker(lines) if _is_one_cell(module, taken) else 0
            above, lines = lines[:cut], lines[cut:]
        elif index in left or (
            not _to_marker(lines) and not _is_one_paragraph(module, taken[order - 1], index)
        ):
            lines = [BLANK, *_from_first_comment(lines)]
        if not _is_guard(statement):
            step = module.default_indent
            statement = _deeper_text(statement, step)
            flush = statement.visit(_Flush(step)).visit(blocks.Deeper(step))  # type: ignore[union-attr]
            moved = flush.with_changes(leading_lines=[*footer, *lines])  # type: ignore[union-attr]
            inner.append(moved)
            footer = []
            continue
        assert isinstance(statement, cst.If)
        gap = [BLANK] if inner else []
        lines = [*footer, *gap, *_from_first_comment(lines)]
        parts, footer = _spliced(statement)
        parts[0] = parts[0].with_changes(leading_lines=[*lines, *parts[0].leading_lines])
        existing = existing or statement
        inner += parts
    return _block(module, existing, _frozen_first(inner), footer), above


def _is_one_cell(module: cst.Module, taken: Sequence[int]) -> bool:
    """Return whether a guard takes statements of one cell: its marker stays at column 0, where editors want it."""
    return not any(_to_marker(module.body[index].leading_lines) for index in taken[1:])


def _is_one_paragraph(module: cst.Module, above: int, below: int) -> bool:
    """Return whether two statements are next to each other, or only lines of code without a gap part them."""
    lines = [line for i in range(above + 1, below + 1) for line in module.body[i].leading_lines]
    between = module.body[above + 1 : below]
    return not between or (
        all(line.comment for line in lines)
        and all(isinstance(each, cst.SimpleStatementLine) for each in between)
    )


def _frozen_first(inner: list[Statement]) -> list[Statement]:
    """Put `freeze_support()` first: in a frozen program's worker nothing may run before it."""
    index = next((i for i, s in enumerate(inner) if _freezes(s)), 0)
    if index == 0:
        return inner
    lines = inner[index].leading_lines
    first = inner[index].with_changes(leading_lines=_from_first_comment(lines))
    second = inner[0].with_changes(leading_lines=[BLANK, *inner[0].leading_lines])
    return [first, second, *inner[1:index], *inner[index + 1 :]]


def _freezes(statement: Statement) -> bool:
    if not isinstance(statement, cst.SimpleStatementLine) or len(statement.body) != 1:
        return False
    small = statement.body[0]
    if not isinstance(small, cst.Expr) or not isinstance(small.value, cst.Call):
        return False
    func = small.value.func
    name = func.attr if isinstance(func, cst.Attribute) else func
    return isinstance(name, cst.Name) and name.value == "freeze_support"


def _block(
    module: cst.Module,
    existing: cst.If | None,
    inner: Sequence[Statement],
    footer: Sequence[cst.EmptyLine],
) -> cst.If:
    if existing is not None and isinstance(existing.body, cst.IndentedBlock):
        return existing.with_changes(body=existing.body.with_changes(body=inner, footer=footer))
    body = cst.IndentedBlock(body=inner, footer=footer)
    if existing is not None:
        return existing.with_changes(body=body)
    quote = '"' if '"' in code_of(module) or "'" not in code_of(module) else "'"
    return cst.If(test=cst.parse_expression(f"__name__ == {quote}__main__{quote}"), body=body)


def _deeper_text(statement: Statement, step: str) -> Statement:
    """Indent the further lines of a text that stands for a comment: nothing reads it."""
    match statement:
        case cst.SimpleStatementLine(body=[cst.Expr(value=cst.SimpleString(value=text))]):
            first, *others = text.split("\n")
            lines = [first, *(step + line if line.strip() else line for line in others)]
            deeper = cst.Expr(cst.SimpleString("\n".join(lines)))
            return statement.with_changes(body=[deeper])
    return statement


class _Flush(cst.CSTTransformer):
    """Keeps blank lines blank once their statement is indented, and indents comments that are left of their block."""

    def __init__(self, step: str) -> None:
        super().__init__()
        self._step = step

    def leave_EmptyLine(
        self, original_node: cst.EmptyLine, updated_node: cst.EmptyLine
    ) -> cst.EmptyLine:
        line = _flush([updated_node])[0]
        if line.indent or line.comment is None or CELL.match(line.comment.value):
            return line
        space = line.whitespace.with_changes(value=self._step + line.whitespace.value)
        return line.with_changes(whitespace=space)


def _flush(lines: Sequence[cst.EmptyLine]) -> list[cst.EmptyLine]:
    return [
        line.with_changes(indent=False)
        if line.comment is None and not line.whitespace.value
        else line
        for line in lines
    ]


def _spliced(guard: Statement) -> tuple[list[Statement], list[cst.EmptyLine]]:
    """Return what stands in a guard, and the lines at its end."""
    assert isinstance(guard, cst.If)
    if isinstance(guard.body, cst.IndentedBlock):
        block = guard.body
        parts: list[Statement] = list(block.body)  # type: ignore[arg-type]
        return parts, list(block.footer)
    assert isinstance(guard.body, cst.SimpleStatementSuite)
    suite = guard.body
    line = cst.SimpleStatementLine(body=suite.body, trailing_whitespace=suite.trailing_whitespace)
    return [line], []


def _is_guard(statement: cst.CSTNode) -> bool:
    if not isinstance(statement, cst.If) or not isinstance(statement.test, cst.Comparison):
        return False
    test = statement.test
    sides = [test.left, *(c.comparator for c in test.comparisons)]
    names = {s.value for s in sides if isinstance(s, cst.Name)}
    values = {s.evaluated_value for s in sides if isinstance(s, cst.SimpleString)}
    return names == {"__name__"} and values == {"__main__"}


def _from_first_comment(lines: Sequence[cst.EmptyLine]) -> list[cst.EmptyLine]:
    """Return the lines above a statement without the blank ones they begin with."""
    first = next((i for i, line in enumerate(lines) if line.comment), len(lines))
    return list(lines[first:])


def _hand_down_blanks(body: list[Statement | None], taken: int) -> None:
    """Keep the gap above a statement that goes, where what follows it has a smaller one."""
    gone, after = body[taken], body[taken + 1] if taken + 1 < len(body) else None
    if gone is None or after is None or taken == 0:
        return
    missing = _blanks(gone) - _blanks(after)
    if missing > 0:
        lines = [*[BLANK] * missing, *after.leading_lines]
        body[taken + 1] = after.with_changes(leading_lines=lines)


def _blanks(statement: Statement) -> int:
    return len(statement.leading_lines) - len(_from_first_comment(statement.leading_lines))


def _kept_before(body: Sequence[Statement | None], index: int) -> Statement | None:
    return next((s for s in reversed(body[:index]) if s is not None), None)


def _blanks_wanted(module: cst.Module, last: int, before: Statement | None) -> int:
    """Return how many blank lines the guard's place asks for."""
    if before is None:
        return 0
    definition = isinstance(before, cst.FunctionDef | cst.ClassDef)
    own = _blanks(module.body[last])
    return max(own, 2 if definition else 1)
