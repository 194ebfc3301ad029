"""New statements at module level, with the blank lines the file uses."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import libcst as cst

from dlfix.source.notebook import MARK
from dlfix.source.text import Span
from dlfix_codemods.tools import positions

_CELL = re.compile(r"#\s?(?:%%|In\s?\[)")
Statement = cst.SimpleStatementLine | cst.BaseCompoundStatement


def top_level_index(module: cst.Module, span: Span) -> int:
    """Return the index in the body of the top-level statement that holds `span`."""
    spans = positions.all_spans(module)
    for index, statement in enumerate(module.body):
        if span.start.row <= spans[statement].end.row:
            return index
    raise positions.NotFoundError(f"no statement at {span}")


def insert_at(
    module: cst.Module, index: int, statements: Sequence[cst.BaseStatement]
) -> cst.Module:
    """Insert definitions before the statement at `index`; its own comments stay on it."""
    if not statements:
        return module
    blanks = blank_lines(module)
    index -= _is_text_on(module, index)
    before, target, after = module.body[:index], module.body[index], module.body[index + 1 :]
    above, own = _split_lines(_leading_lines(target))
    opens = not before or _opens_cell(above) or _is_cell_mark(before[-1])
    ended = _blanks_at_the_end(before[-1]) if before else 0
    placed = [_spaced(statements[0], _padded(above, 0 if opens else blanks - ended))]
    for upper, lower in pairwise(statements):
        are_lines = isinstance(upper, cst.SimpleStatementLine) and isinstance(lower, type(upper))
        placed.append(_spaced(lower, _empty(0 if are_lines else blanks)))
    had = min(2, _trailing_blanks(above) + ended)  # around what stands here, the file may use more
    moved = _with_lines(target, [*_empty(max(blanks, had)), *own])
    return module.with_changes(body=[*before, *placed, moved, *after])


def append(module: cst.Module, statements: Sequence[cst.BaseStatement]) -> cst.Module:
    """Put definitions at the end of a module."""
    ended = _blanks_at_the_end(module.body[-1]) if module.body else 0
    first = [_spaced(each, _empty(max(0, 2 - ended))) for each in statements[:1]]
    placed = [*first, *(_spaced(each, _empty(2)) for each in statements[1:])]
    return module.with_changes(body=[*module.body, *placed])


def blank_lines(module: cst.Module) -> int:
    """Return how many blank lines the file puts between its top-level definitions."""
    counts: Counter[int] = Counter()
    for index, (above, statement) in enumerate(pairwise(module.body), start=1):
        if isinstance(statement, cst.FunctionDef | cst.ClassDef) and not _is_cell_mark(above):
            first = above if _is_text_on(module, index) else statement
            counts[_trailing_blanks(_split_lines(_leading_lines(first))[0])] += 1
    if not counts:
        return 2
    most = max(counts.values())
    return max(number for number, count in counts.items() if count == most)


def _is_text_on(module: cst.Module, index: int) -> bool:
    """Return whether a string stands on a statement like a comment: below the docstring, without a blank line."""
    if index < 2 or not _is_string(module.body[index - 1]):
        return False
    return all(line.comment for line in _leading_lines(module.body[index]))


def _is_string(statement: cst.BaseStatement) -> bool:
    match statement:
        case cst.SimpleStatementLine(body=[cst.Expr(value=cst.SimpleString())]):
            return True
    return False


def reindented_docstring(
    function: cst.FunctionDef | cst.ClassDef, old: str, new: str
) -> cst.FunctionDef | cst.ClassDef:
    """Move a docstring's further lines from the indentation `old` to `new`, if all have it."""
    body = function.body
    if not isinstance(body, cst.IndentedBlock) or not body.body:
        return function
    line = body.body[0]
    match line:
        case cst.SimpleStatementLine(
            body=[cst.Expr(value=cst.SimpleString(value=text) as string), *_]
        ):
            moved = string.with_changes(value=_moved_lines(text, old, new))
            return function.with_deep_changes(string, value=moved.value)
    return function


def _moved_lines(text: str, old: str, new: str) -> str:
    first, *others = text.splitlines(keepends=True)
    if any(line.strip() and not line.startswith(old) for line in others):
        return text
    return first + "".join(new + line[len(old) :] if line.strip() else line for line in others)


def _spaced(statement: cst.BaseStatement, lines: Sequence[cst.EmptyLine]) -> Statement:
    own = [line for line in _leading_lines(statement) if line.comment]
    return _with_lines(statement, [*lines, *own])


def _leading_lines(statement: cst.BaseStatement) -> Sequence[cst.EmptyLine]:
    return statement.leading_lines if hasattr(statement, "leading_lines") else ()


def _with_lines(statement: cst.BaseStatement, lines: Sequence[cst.EmptyLine]) -> Statement:
    changed = statement.with_changes(leading_lines=lines)
    assert isinstance(changed, Statement)
    return changed


def _split_lines(
    lines: Sequence[cst.EmptyLine],
) -> tuple[list[cst.EmptyLine], list[cst.EmptyLine]]:
    """Part leading lines into those above the last blank one (with it), and the comments below.

    The line that opens a notebook's cell stays above.
    """
    cut = len(lines)
    while cut and lines[cut - 1].comment and not _opens_cell(lines[:cut]):
        cut -= 1
    return list(lines[:cut]), list(lines[cut:])


def _opens_cell(lines: Sequence[cst.EmptyLine]) -> bool:
    """Return whether the last of some lines begins a cell: `# %%`, `# In[3]:`."""
    comment = lines[-1].comment if lines else None
    return comment is not None and _CELL.match(comment.value) is not None


def _is_cell_mark(statement: cst.BaseStatement) -> bool:
    """Return whether a statement stands for the start of a notebook's cell."""
    match statement:
        case cst.SimpleStatementLine(body=[cst.Expr(value=cst.Call(func=cst.Name(value=name)))]):
            return name == MARK
    return False


def _trailing_blanks(lines: Sequence[cst.EmptyLine]) -> int:
    count = 0
    while count < len(lines) and not lines[-1 - count].comment:
        count += 1
    return count


def _blanks_at_the_end(statement: cst.BaseStatement) -> int:
    """Return how many indented blank lines follow the last line of a block, which count as a part of it."""
    body = getattr(statement, "body", None)
    if not isinstance(body, cst.IndentedBlock):
        return 0
    count = _trailing_blanks(body.footer)
    return count + (_blanks_at_the_end(body.body[-1]) if count == len(body.footer) else 0)


def _padded(lines: list[cst.EmptyLine], blanks: int) -> list[cst.EmptyLine]:
    return lines + _empty(max(0, blanks - _trailing_blanks(lines)))


def _empty(number: int) -> list[cst.EmptyLine]:
    return [cst.EmptyLine(indent=False) for _ in range(number)]
