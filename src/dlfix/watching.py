"""Doing something again whenever a file changes."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path

PAUSE = 0.5  # seconds between two looks


def again_on_change(
    files: Callable[[], Iterable[Path]],
    run: Callable[[], int],
    say: Callable[[str], None],
    wait: Callable[[float], None] = time.sleep,
) -> int:
    """Run something now and after each change of the files, until Ctrl-C; return the last status."""
    status = 0
    try:
        while True:
            before = _stamps(files())
            status = run()
            say(f"watching {len(before)} file{'s' * (len(before) != 1)}; Ctrl-C ends")
            while _stamps(files()) == before:
                wait(PAUSE)
    except KeyboardInterrupt:
        return status


def _stamps(files: Iterable[Path]) -> dict[Path, tuple[int, int]]:
    stamps = {}
    for path in files:
        try:
            now = os.stat(path)
        except OSError:
            continue
        stamps[path] = now.st_mtime_ns, now.st_size
    return stamps
