"""A sign of life on a terminal, for what takes longer than a second."""

from __future__ import annotations

import threading
from types import TracebackType

from rich.console import Console
from rich.status import Status

PATIENCE = 1.0  # seconds


class Progress:
    """Shows a spinner once the patience is over, until the end."""

    def __init__(self, console: Console, message: str = "following what reaches workers") -> None:
        self._status = Status(message, console=console)
        self._timer = threading.Timer(PATIENCE, self._status.start)
        self._timer.daemon = True

    def __enter__(self) -> Progress:
        self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._timer.cancel()
        self._timer.join()
        self._status.stop()
