"""A bar on a terminal, for what takes longer than a second."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as Bar

PATIENCE = 1.0  # seconds


class Progress:
    """Shows how far the work has come, once the patience is over, until the end."""

    def __init__(self, console: Callable[[], Console] | None) -> None:
        self._console = console
        self._at = ("finding files", 0, 0)
        self._bar: Bar | None = None
        self._timer = threading.Timer(PATIENCE, self._start)
        self._timer.daemon = True

    def __enter__(self) -> Progress:
        if self._console is not None:
            self._timer.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.stop()

    def tell(self, what: str, done: int, total: int) -> None:
        """Take up what is being done, how much of it is done, and how much there is."""
        self._at = what, done, total
        if self._bar is not None:
            self._draw(self._bar)

    def stop(self) -> None:
        """Take the bar off the screen; it does not come again."""
        self._timer.cancel()
        if self._timer.ident is not None:
            self._timer.join()
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def _start(self) -> None:
        from rich import progress

        assert self._console is not None
        bar = progress.Progress(
            progress.TextColumn("{task.description}"),
            progress.BarColumn(),
            progress.MofNCompleteColumn(),
            console=self._console(),
            transient=True,
        )
        bar.add_task("")
        self._draw(bar)
        bar.start()
        self._bar = bar

    def _draw(self, bar: Bar) -> None:
        what, done, total = self._at
        task = bar.task_ids[0]
        bar.update(task, description=what, completed=done, total=total or None)
