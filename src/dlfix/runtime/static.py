"""The static findings of some files, for joining with what was seen at run time."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dlfix.rules.base import Finding
    from dlfix.session import Session

FENCED = re.compile(
    r"^[ \t]*```[ \t]*(?:python|py)[^\n]*\n(.*?)^[ \t]*```", re.DOTALL | re.MULTILINE
)


def findings(paths: Sequence[Path]) -> Sequence[Finding]:
    """Return all findings in the projects of files and folders; none where they cannot be read."""

    def session() -> Session:
        from dlfix.config import Settings
        from dlfix.session import Session

        return Session.open(list(paths), Settings())

    return _found(session)


def in_text(text: str) -> Sequence[Finding]:
    """Return the findings in the Python blocks of an article, each block a file of its own."""
    blocks = [textwrap.dedent(block) for block in FENCED.findall(text)]
    return [finding for i, block in enumerate(blocks, 1) for finding in _in_block(i, block)]


def _in_block(number: int, block: str) -> Sequence[Finding]:
    def session() -> Session:
        from dlfix.config import Settings
        from dlfix.session import Session

        path = Path(f"block{number}.py").absolute()
        return Session([path], Settings(), {path: block})

    return _found(session)


def _found(session: Callable[[], Session]) -> Sequence[Finding]:
    from dlfix.fixing.engine import find

    try:
        opened = session()
        return find(opened.analysis, opened.rules, keep=None, errors=[])
    except Exception:  # what was seen is worth telling without them
        return ()
