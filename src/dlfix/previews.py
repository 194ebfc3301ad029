"""What each fix alone would make of its files, worked out in several processes if wished."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dlfix.fixing.plans import Fix
from dlfix.reach.progress import Tell, silent, told

if TYPE_CHECKING:
    from dlfix.fixing.rewriting import Sheets

ENOUGH = 16  # fixes that are worth starting processes for
MOST = 200  # of a file: each costs as much as the file is long


def one(fix: Fix, sheets: Sheets) -> dict[Path, str]:
    """Return the texts a fix makes; none where it cannot be carried out."""
    return dict(sheets.carry_out([fix]).texts)


def too_many(fixes: Iterable[Fix]) -> list[Fix]:
    """Return the fixes that come after as many of one file as are shown."""
    left_out = []
    seen: Counter[Path] = Counter()
    for fix in {id(fix): fix for fix in fixes}.values():
        paths = {edit.path for edit in fix.edits}
        if any(seen[path] >= MOST for path in paths):
            left_out.append(fix)
        seen.update(paths)
    return left_out


def make(
    fixes: Sequence[Fix], text: Callable[[Path], str], jobs: int, tell: Tell = silent
) -> dict[int, dict[Path, str]]:
    """Return the previews of many fixes by identity."""
    distinct = list({id(fix): fix for fix in fixes}.values())
    if jobs < 2 or len(distinct) < ENOUGH:
        made = _here(told("computing fixes", distinct, tell), text)
    else:
        made = _in_processes(distinct, text, jobs, tell)
    return {id(fix): texts for fix, texts in zip(distinct, made, strict=True)}


def _here(fixes: Iterable[Fix], text: Callable[[Path], str]) -> list[dict[Path, str]]:
    """Work some fixes out; each file is parsed once."""
    from dlfix.fixing.rewriting import Sheets

    sheets = Sheets(text)
    return [one(fix, sheets) for fix in fixes]


def _in_processes(
    fixes: Sequence[Fix], text: Callable[[Path], str], jobs: int, tell: Tell
) -> list[dict[Path, str]]:
    from dlfix.processes import each

    share = max(4, -(-len(fixes) // (4 * jobs)))  # fixes of a file stay together for the most part
    shares = [fixes[start : start + share] for start in range(0, len(fixes), share)]
    work = [(some, {e.path: text(e.path) for fix in some for e in fix.edits}) for some in shares]
    lost: list[dict[Path, str]] | None = None
    made = each(_share, work, jobs, lost=lost, chunk=1)
    return [
        texts
        for some, _ in told("computing fixes", work, tell)
        for texts in (next(made) or [{}] * len(some))
    ]


def _share(item: tuple[Sequence[Fix], dict[Path, str]]) -> list[dict[Path, str]]:
    fixes, texts = item
    return _here(fixes, lambda path: texts[path])
