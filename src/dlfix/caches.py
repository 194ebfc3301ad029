"""Where the user's caches are."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def default_directory() -> Path | None:
    """Return where the user's caches are kept, by the rules of the system; None if unknown."""
    given = os.environ.get("XDG_CACHE_HOME", "")
    if given and os.path.isabs(given):
        return Path(given) / "dlfix"
    try:
        if sys.platform == "win32":
            local = os.environ.get("LOCALAPPDATA", "")
            return Path(local) / "dlfix" / "Cache" if local else None
        folder = "Library/Caches" if sys.platform == "darwin" else ".cache"
        return Path.home() / folder / "dlfix"
    except RuntimeError:  # there is no home
        return None
