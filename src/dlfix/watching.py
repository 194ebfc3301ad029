"""Doing something again whenever a file that it read changes, or a folder that it listed."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import Any

from dlfix.source import seen

PAUSE = 0.5  # seconds between two looks
SHARE = 20  # a look takes at most one of so many seconds


def again_on_change(
    run: Callable[[], int],
    say: Callable[[str], None],
    wait: Callable[[float], None] = time.sleep,
) -> int:
    """Run something now and after each change of what it looked at, until Ctrl-C; return the last status."""
    status = 0
    try:
        while True:
            status = run()
            gc.collect()  # a check does not
            looked = _looked_at()
            count = len(looked["files"])
            say(f"watching {count} file{'s' * (count != 1)}; press Ctrl-C to stop")
            while _is_unchanged(looked, wait):
                pass
    except KeyboardInterrupt:
        return status


def _looked_at() -> dict[str, Any]:
    watched = seen.watched() or seen.watch()
    return watched.as_data()


def _is_unchanged(looked: dict[str, Any], wait: Callable[[float], None]) -> bool:
    began = time.monotonic()
    unchanged = seen.is_unchanged(looked)
    if unchanged:
        wait(max(PAUSE, SHARE * (time.monotonic() - began)))
    return unchanged
