"""The proof of a rewrite, before it is written: whole, and nothing else changed."""

from __future__ import annotations

import ast
import io
import re
import tokenize
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path

from dlfix.project.order import first_row
from dlfix.project.targets import oldest_minor
from dlfix.rules.base import Finding
from dlfix.source.lines import bare
from dlfix.source.text import Span

# A comment that speaks to a tool about one line goes with the line.
_TO_A_TOOL = re.compile(
    r"#\s*(noqa|type:|pylint:|mypy:|pyright:|ruff:|dlfix:|pragma:|fmt:|yapf:|isort:)"
)

# What fixes write, and the minor version of Python that first had it.
_SINCE = {"functools.cached_property": 8}
_POSITIONAL = 8  # the minor version from which `def f(x, /)` can be read
_OLDEST_GRAMMAR = 4  # `ast` reads the grammar of none before


class Rewritten:
    """Texts that are rewritten together, each before and after: a comment may move to another one."""

    def __init__(self, texts: Iterable[tuple[str, str]]) -> None:
        self._texts = list(texts)

    @cached_property
    def gained(self) -> Counter[str]:
        """How often each comment comes to a text that it was not in."""
        gained: Counter[str] = Counter()
        for before, after in self._texts:
            gained.update(_counted(after) - _counted(before))
        return gained


def broken(
    path: Path, before: str, after: str, spans: Sequence[Span], together: Rewritten | None = None
) -> str | None:
    """Return what is wrong with a rewritten text, None where nothing is.

    `spans` are the places the plans name: only the statements they lie in may change.
    """
    reason = not_compiled(path, after) or _too_new(path, before, after)
    if reason is not None:
        return reason
    elsewhere = _changed_elsewhere(before, after, ast.parse(after), spans)
    try:
        return elsewhere or _lost_comment(before, after, together or Rewritten(()))
    except (tokenize.TokenError, SyntaxError):  # Python reads more than `tokenize` does
        return "the comments before and after the fix cannot be compared"


def not_compiled(path: Path, text: str) -> str | None:
    """Return why a text does not compile, None where it does."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, str(path), "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        return f"the result does not compile: {error}"
    return None


def _too_new(path: Path, before: str, after: str) -> str | None:
    """Return what the oldest Python of the project does not have, None where it has all of it."""
    oldest = oldest_minor(path)
    if oldest is None:
        return None
    for name, since in _SINCE.items():
        if oldest < since and _uses(after, name) and not _uses(before, name):
            return f"`{name}` requires Python 3.{since}, but the project supports Python 3.{oldest}"
    if oldest < _POSITIONAL and _parses(before, oldest) and not _parses(after, oldest):
        return f"the result does not compile on Python 3.{oldest}, which the project supports"
    return None


def _uses(text: str, name: str) -> bool:
    """Return whether a text names what a module has: by the module, or imported from it."""
    module, _, last = name.rpartition(".")
    imported = re.search(rf"^\s*from {module} import (.*\b)?{last}\b", text, re.MULTILINE)
    return name in text or imported is not None


def _parses(text: str, minor: int) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text, feature_version=(3, max(minor, _OLDEST_GRAMMAR)))
    except (SyntaxError, ValueError):
        return False
    return True


def _changed_elsewhere(
    before: str, after: str, after_tree: ast.Module, spans: Sequence[Span]
) -> str | None:
    now = _segments(after, after_tree.body)
    imported = Counter(_imported(after_tree.body))
    old_tree = ast.parse(before)
    segments = _segments(before, old_tree.body)
    for statement, segment in zip(old_tree.body, segments, strict=True):
        if _touched(statement, spans):
            continue
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            missing = Counter(_imported([statement])) - imported
            names = [each[-1] for each in missing if not _may_go(statement, str(each[-1]), after)]
            if names:
                return f"the import of `{names[0]}` would be removed (line {statement.lineno})"
        elif segment not in now:  # consumes the iterator: the order must stay, too
            return f"a statement outside the fix would change (line {statement.lineno})"
    return None


def _may_go(statement: ast.stmt, name: str, after: str) -> bool:
    """Return whether an import is of a type alone, and nothing of that name is left."""
    of_types = isinstance(statement, ast.ImportFrom) and statement.module == "typing"
    return of_types and re.search(rf"\b{re.escape(name)}\b", after) is None


def _segments(text: str, body: list[ast.stmt]) -> Iterator[str]:
    lines = text.splitlines(keepends=True)
    for statement in body:
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            yield ""
        else:
            last = statement.end_lineno or statement.lineno
            yield "".join(lines[first_row(statement) - 1 : last]).rstrip()


def _touched(statement: ast.stmt, spans: Sequence[Span]) -> bool:
    first, last = first_row(statement), statement.end_lineno or statement.lineno
    return any(span.start.row <= last and first <= _last_row(span) for span in spans)


def _last_row(span: Span) -> int:
    ends_before = span.end.column == 0 and span.end.row > span.start.row
    return span.end.row - ends_before


def _imported(body: Iterable[ast.stmt]) -> Iterator[tuple[str, ...]]:
    for statement in body:
        if isinstance(statement, ast.Import):
            for name in statement.names:
                yield ("", name.name, name.asname or name.name)
        elif isinstance(statement, ast.ImportFrom):
            origin = "." * statement.level + (statement.module or "")
            for name in statement.names:
                yield (origin, name.name, name.asname or name.name)


def _lost_comment(before: str, after: str, together: Rewritten) -> str | None:
    kept = _counted(after)
    lost = []
    for row, comment in _comments(before):
        if kept[comment]:
            kept[comment] -= 1
        elif not _TO_A_TOOL.match(comment) and not together.gained[comment]:
            lost.append(row)
    still = set(_with_code(after).values()) if lost else set()
    said = _with_code(before) if lost else {}
    return next(
        (f"the comment would be lost (line {r})" for r in lost if said[r] not in still), None
    )


def _with_code(text: str) -> dict[int, tuple[str, str]]:
    """Return each comment with the code that it stands by: what two equal functions say is said once."""
    lines = [line.strip() for line in bare(_lines(text))]
    found = {}
    for row, comment in _comments(text):
        code = (line for line in lines[row - 1 :] if line and not line.startswith("#"))
        found[row] = (comment, next(code, ""))
    return found


def _counted(text: str) -> Counter[str]:
    return Counter(comment for _, comment in _comments(text))


def _lines(text: str) -> str:
    # A backslash before a lone carriage return goes on for Python, and for `tokenize` it does not.
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _comments(text: str) -> Iterator[tuple[int, str]]:
    if "#" not in text:
        return
    for token in tokenize.generate_tokens(io.StringIO(_lines(text)).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string.rstrip()


def unproved(
    before: Iterable[Finding], fixed: Iterable[Finding], after: Iterable[Finding]
) -> str | None:
    """Return which finding is still there, or came, after a rewrite; None where it did its work."""
    fixed = list(fixed)
    mended = [_key(finding) for finding in fixed]
    expected = Counter(_key(finding) for finding in before)
    expected.subtract(mended)
    for finding in after:
        key = _key(finding)
        expected[key] -= 1
        if expected[key] >= 0:
            continue
        how = "remain" if key in mended else "be reported instead"
        path = finding.place.path
        where = "" if any(path == each.place.path for each in fixed) else f" in {path.name}"
        return f"{finding.code} would {how}{where} ({finding.message})"
    return None


def _key(finding: Finding) -> tuple[str, Path]:
    return finding.code, finding.place.path
