"""What each fix alone would make of its files, worked out in several processes if wished."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from dlfix.fixing.plans import Fix
from dlfix.reach.progress import Tell, silent, told

ENOUGH = 16  # fixes that are worth starting processes for


def one(fix: Fix, texts: Mapping[Path, str]) -> dict[Path, str]:
    """Return the texts a fix makes; none where it cannot be carried out."""
    from dlfix.fixing import carrying
    from dlfix.fixing.lines import Moved

    sheets = carrying.Sheets(lambda path: texts[path])
    try:
        sheets.carry_out(fix)
    except (Moved, carrying.Failed):
        return {}
    return sheets.texts()


def make(
    fixes: Sequence[Fix], text: Callable[[Path], str], jobs: int, tell: Tell = silent
) -> dict[int, dict[Path, str]]:
    """Return the previews of many fixes by identity."""
    distinct = list({id(fix): fix for fix in fixes}.values())
    work = [(fix, {edit.path: text(edit.path) for edit in fix.edits}) for fix in distinct]
    if jobs < 2 or len(work) < ENOUGH:
        made = [one(*item) for item in told("working out fixes", work, tell)]
    else:
        made = _in_processes(work, jobs, tell)
    return {id(fix): texts for fix, texts in zip(distinct, made, strict=True)}


def _in_processes(
    work: list[tuple[Fix, dict[Path, str]]], jobs: int, tell: Tell
) -> list[dict[Path, str]]:
    from dlfix.processes import each

    nothing: dict[Path, str] = {}
    made = each(_one, work, jobs, lost=nothing)
    return [next(made) for _ in told("working out fixes", work, tell)]


def _one(item: tuple[Fix, dict[Path, str]]) -> dict[Path, str]:
    return one(*item)
