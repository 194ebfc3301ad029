"""What commands say of writing files, and `dlfix undo`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dlfix import undo as undoing
from dlfix.journal import Entry, digest
from dlfix.source.text import SourceError
from dlfix.source.writing import Change
from dlfix.undo import Say, Undoing, Written


def write(
    changes: Sequence[Change],
    named: Sequence[Path],
    tell: Say,
    *,
    going_on: bool,
    command: str = "apply",
) -> Written:
    """Write changes so that undo can take them back.

    Where git has not been told of a user's own changes to a file that nobody named, nothing is written.
    """
    dirty = _dirty(changes, tell)
    asked = {path.absolute() for path in named}
    unasked = [path for path in dirty if path not in asked]
    if unasked and not going_on:
        names = ", ".join(path.name for path in unasked[:5]) + (", ..." if len(unasked) > 5 else "")
        reason = (
            f"uncommitted changes ({names}); no file was changed (use --allow-dirty to override)"
        )
        return Written(error=SourceError(unasked[0].parent, None, reason))
    if dirty and not going_on:
        tell(f"uncommitted changes in {', '.join(path.name for path in dirty)}")
    return undoing.record(changes, named, tell, command)


def _dirty(changes: Sequence[Change], tell: Say) -> list[Path]:
    """Return the files with changes that git was not told of, and that are not ours."""
    from dlfix.source.git_index import uncommitted

    dirty = set(uncommitted(changes))
    if not dirty:
        return []
    ours = undoing.wrote(Path.cwd(), tell)
    return [
        change.path
        for change in changes
        if change.path in dirty and digest(change.before or b"") not in ours
    ]


def failed(written: Written | None, tell: Say) -> bool:
    """Say what could not be written, if anything."""
    if written is None or written.error is None:
        return False
    print(written.error, file=sys.stderr)
    if written.paths:
        tell(
            "the files listed before this error were rewritten; the files listed after it were not"
        )
    return True


@dataclass(frozen=True)
class Undo:
    """How to undo."""

    listed: bool = False
    diff: bool = False
    forget: bool = False
    everything: bool = False


def undo(manner: Undo, tell: Say, *, quiet: bool) -> int:
    """Put back what the last apply wrote."""
    start = Path.cwd()
    if manner.listed:
        return _list_applies(undoing.applies(start, everything=manner.everything, say=tell))
    if manner.diff:
        return _show_undo(undoing.preview(start, everything=manner.everything, say=tell), tell)
    if manner.forget:
        done = undoing.forget(start, everything=manner.everything, say=tell)
        tell(
            f"removed the {done.entry.command} of {_when(done.entry.made)} from the list; no file "
            "was changed"
        )
        return 0
    return _undone(undoing.undo(start, everything=manner.everything, say=tell), tell, quiet)


def _undone(done: Undoing, tell: Say, quiet: bool) -> int:
    from dlfix.report.text import plural
    from dlfix.report.view import relative

    for target in done.targets:
        if not quiet:
            done_to = "Removed" if target.change.after is None else "Restored"
            print(f"{done_to} {relative(target.path)}")
    for path in done.edited:
        tell(f"{relative(path)}: changed since the last apply; not restored")
    if done.outside and not quiet:
        tell(
            f"not restored outside this folder: {plural(done.outside, 'file')}; use --all to restore them"
        )
    return 2 if done.edited else 0


def _show_undo(plan: Undoing, tell: Say) -> int:
    from dlfix.report import diff, runner
    from dlfix.report.view import View, relative
    from dlfix.session import Session

    patch = diff.patch([target.change for target in plan.targets], View(Session(()), []))
    sys.stdout.flush()
    sys.stdout.buffer.write(runner.quoted(patch))
    sys.stdout.buffer.flush()
    for path in plan.edited:
        tell(f"{relative(path)}: changed since the last apply; would not be restored")
    return 1 if plan.targets else 0


def _list_applies(applies: Sequence[tuple[Entry, Sequence[Path]]]) -> int:
    from dlfix.report.view import relative

    for entry, paths in applies:
        note = ", interrupted" if entry.kind == "part" else ""
        print(f"{_when(entry.made)}  {entry.command}{note}")
        for path in paths:
            print(f"    {relative(path)}")
    return 0


def _when(made: float) -> str:
    from datetime import datetime

    return datetime.fromtimestamp(made).strftime("%Y-%m-%d %H:%M:%S")
