"""`dlfix probe`, `dlfix explain` of a traceback, and `dlfix apply --prove`: plain functions."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from dlfix.runtime import probe as probing
from dlfix.runtime import show
from dlfix.runtime.explain import clean, exceptions, explain, left_out
from dlfix.runtime.join import join
from dlfix.runtime.probe import Fetched, ProbeError

if TYPE_CHECKING:
    from dlfix.rules.base import Finding

TIMEOUT = 120.0
SMALL = 500  # a program of so many files is read whole, to explain what happened in one of them


def probe(
    target: str,
    args: Sequence[str] = (),
    *,
    python: str | None = None,
    run: bool = False,
    go_on: bool = False,
    timeout: float = TIMEOUT,
    output_format: str = "text",
) -> int:
    """Do `dlfix probe TARGET [-- ARGS]` (`go_on` is `--continue`); return the exit status.

    0: all that crosses arrives; 1: something does not; 2: the probe could not do its work, and a
    line on stderr says why.
    """
    try:
        _name_interpreter(target, python)
        if run:
            return _probe_run(target, args, python, timeout, output_format)
        probed = probing.probe(target, args, python=python, go_on=go_on, timeout=timeout)
    except ProbeError as error:
        return _fail(error)
    joined = join(probed.culprits, _findings_for(target, probed))
    if output_format == "json":
        print(show.to_json(probed, joined))
    else:
        show.show_probe(probed, joined, show.console())
    troubles = [probing.not_looked_into(probed)] if probed.broken else []
    troubles += [probed.failed] if probed.failed else []
    for text in troubles:
        _fail(ProbeError(text))
    return 2 if troubles else int(bool(joined))


def _name_interpreter(target: str, python: str | None) -> None:
    """Say which interpreter is used, where nobody named it and it is not dlfix's own."""
    chosen = probing.interpreter(target, python)
    if python is None and chosen != sys.executable:
        print(f"dlfix: running {target} with {chosen}", file=sys.stderr)


def _probe_run(
    target: str, args: Sequence[str], python: str | None, timeout: float, output_format: str
) -> int:
    fetched = probing.fetch(target, args, python=python, timeout=timeout)
    if output_format == "json":
        print(show.fetched_json(fetched))
    else:
        show.show_fetched(fetched, show.console())
    return 0 if all(row.ok for row in fetched) else 1


def explain_text(
    text: str, *, output_format: str = "text", folder: Path | None = None, color: str = "auto"
) -> int:
    """Do `dlfix explain -` (or FILE) with the text read; return the exit status.

    0: explained; 1: no pickling or worker error in the text; 2 is the caller's (a file that cannot
    be read).
    """
    folder = folder or Path.cwd()
    if said := left_out(text):
        print(f"dlfix: {said}", file=sys.stderr)
    near = _findings_near(text, folder)
    explanation = explain(text, near, folder, () if near else _findings_in(text))
    if explanation is None:
        print("the text contains no pickling error or worker error", file=sys.stderr)
        return 1
    if output_format == "json":
        print(show.explanation_json(explanation))
    else:
        show.show_explanation(explanation, show.console(color))
    return 0


def prove(
    program: str,
    rewrite: Callable[[], int],
    *,
    python: str | None = None,
    timeout: float = TIMEOUT,
) -> int:
    """Do `dlfix apply --prove 'SCRIPT ARGS'`: fetch a batch, call `rewrite`, fetch again.

    `rewrite` writes and returns apply's exit status. Returned is 1 if a start method fails after rewriting (or
    what `rewrite` returned, where that is more), 2 if nothing could be proved (nothing is written
    then).
    """
    try:
        target, *args = shlex.split(program) or [""]
        _name_interpreter(target, python)
        before = probing.fetch(target, args, python=python, timeout=timeout)
        status = rewrite()
        after = probing.fetch(target, args, python=python, timeout=timeout)
    except ProbeError as error:
        return _fail(error)
    show.show_proof(before, after, show.console())
    return max(status, 0 if proved(before, after) else 1)


def proved(before: Sequence[Fetched], after: Sequence[Fetched]) -> bool:
    """Return whether all start methods work now, and no workers gives what it gave."""
    unchanged = all(
        old.digest == new.digest
        for old, new in zip(before, after, strict=True)
        if old.method == "none" and old.ok
    )
    return unchanged and all(row.ok for row in after)


def _fail(error: ProbeError) -> int:
    print(f"dlfix: {error}", file=sys.stderr)
    return 2


def _findings_for(target: str, probed: probing.Probed) -> Sequence[Finding]:
    """Return the static findings of the program whose lines a probe names."""
    if not probed.culprits:
        return ()
    lines = [culprit.line for culprit in probed.culprits]
    lines += [boundary.line for boundary in probed.boundaries]
    files = {Path(target), *(line.path for line in lines if line is not None)}
    return _findings(sorted(path for path in files if path.is_file() and _is_users(path)))


def _is_users(path: Path) -> bool:
    return "site-packages" not in path.parts


def _findings_near(text: str, folder: Path) -> Sequence[Finding]:
    """Return the static findings of the files that a traceback names and that are at hand."""
    named = {f.path for raised in exceptions(clean(text)) for f in raised.frames if f.is_users}
    files = sorted({folder / path for path in named if (folder / path).is_file()})
    if not files:
        return ()
    root = min((file.parent for file in files), key=lambda parent: len(parent.parts))
    small = len(list(islice(root.rglob("*.py"), SMALL + 1))) <= SMALL
    return _findings([root] if small else files)


def _findings_in(text: str) -> Sequence[Finding]:
    """Return the static findings of the Python blocks in a text."""
    if "```" not in text:
        return ()
    from dlfix.runtime.static import in_text

    return in_text(text)


def _findings(paths: Sequence[Path]) -> Sequence[Finding]:
    """Return what reading the sources finds; nothing where they cannot be read."""
    if not paths:
        return ()
    from dlfix.runtime.static import findings

    return findings(paths)
