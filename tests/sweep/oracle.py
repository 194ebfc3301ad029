"""What must hold of dlfix for any text and any tree, whatever is in it."""

from __future__ import annotations

import io
import re
import time
import tokenize
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from dlfix.config import Settings
from dlfix.report import concise, github, gitlab, html, json, junit, sarif, text, tree
from dlfix.report.view import View
from dlfix.session import Session

# A comment that speaks to a tool about a line goes with the line.
TO_A_TOOL = re.compile(
    r"#\s*(noqa|type:|pylint:|mypy:|pyright:|ruff:|dlfix:|pragma:|fmt:|yapf:|isort:)", re.IGNORECASE
)
MOST = 5.0  # seconds of this process' own time, for a small file
FORMATS = (github, gitlab, json, junit, sarif)


def compiles(source: str | bytes) -> bool:
    """Return whether Python takes a text."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(source, "text", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
        return False
    return True


def comments(source: bytes) -> Counter[str]:
    """Return the comments of a text, as far as it has tokens."""
    found: Counter[str] = Counter()
    source = source.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    try:
        for token in tokenize.tokenize(io.BytesIO(source).readline):
            if token.type == tokenize.COMMENT:
                found[token.string.strip()] += 1
    except (tokenize.TokenError, SyntaxError, ValueError, LookupError):
        pass
    return found


def lost_comments(before: bytes, after: bytes) -> list[str]:
    """Return the comments that are gone, but for those to tools; what equal functions say is said once."""
    gone = comments(before).keys() - comments(after).keys()
    return sorted(comment for comment in gone if not TO_A_TOOL.match(comment))


def wrongs(source: str, path: Path) -> Iterator[str]:
    """Yield what dlfix does wrong with one text: read, reported in all formats, rewritten twice."""
    start = time.process_time()
    yield from _wrongs(source, path)
    spent = time.process_time() - start
    if spent > MOST:
        yield f"it takes {spent:.1f} s"


def _wrongs(source: str, path: Path) -> Iterator[str]:
    session = _session(source, path)
    diagnoses = session.diagnoses()
    yield from _bugs(session, [str(d.outcome) for d in diagnoses])
    view = View(session, diagnoses)
    shown = [one.plain for one in (*concise.render(view), *text.render(view, 80))]
    shown += [module.render(view) for module in FORMATS]
    shown += [tree.as_text(root, 80).plain for root in tree.boundaries(view)]
    shown.append(html.render(view))
    if any("\x1b" in each for each in shown):
        yield "an escape sequence is printed"
    session = _session(source, path)
    outcome = session.rewrite(unsafe=True)
    yield from _bugs(session, [*outcome.errors, *(str(d.outcome) for d in outcome.left)])
    after = outcome.after.get(path, source)
    if after == source:
        return
    if compiles(source) and not compiles(after):
        yield "what it writes does not compile"
    lost = lost_comments(source.encode(), after.encode())
    if lost:
        yield f"the comment {lost[0]} is lost"
    if _session(after, path).rewrite(unsafe=True).after:
        yield "a second apply changes it again"


def _session(source: str, path: Path) -> Session:
    return Session((path,), Settings(), {path: source}, named=frozenset((path,)))


def _bugs(session: Session, said: list[str]) -> Iterator[str]:
    said = [*session.bugs, *said]
    yield from (re.search("internal error.*", one)[0] for one in said if "internal error" in one)
