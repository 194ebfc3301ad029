"""The static findings of some files, for joining with what was seen at run time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dlfix.rules.base import Finding


def findings(paths: Sequence[Path]) -> Sequence[Finding]:
    """Return all findings in files and folders; none where the sources cannot be read."""
    try:
        from dlfix.config import Settings
        from dlfix.session import Session

        session = Session.open(list(paths), Settings())
        return [diagnosis.finding for diagnosis in session.diagnoses()]
    except Exception:  # what was seen is worth telling without them
        return ()
