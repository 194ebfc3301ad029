"""Signals that end dlfix, turned into an exception so that what was begun is put in order."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator

NAMES = ("SIGTERM", "SIGHUP")


@contextlib.contextmanager
def raised() -> Iterator[None]:
    """Raise SystemExit where a signal would end the process at once."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [getattr(signal, name) for name in NAMES if hasattr(signal, name)]
    # What is ignored (nohup) stays ignored.
    before = {
        number: signal.signal(number, _leave)
        for number in numbers
        if signal.getsignal(number) is signal.SIG_DFL
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _leave(number: int, frame: object) -> None:
    raise SystemExit(128 + number)
