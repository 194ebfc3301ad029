"""Consoles that show text of other people's and never act on it; nothing is wrapped in a pipe."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Table

from dlfix.source.printable import visible_block

WHOLE = 10_000  # columns where nothing is to be wrapped


class SafeConsole(Console):
    """Escapes the control characters of what it prints; its own colours are none of these."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Render, the text of each segment printable."""
        for segment in super().render(renderable, options):
            if segment.control or segment.text.isprintable():
                yield segment
            else:
                yield Segment(visible_block(segment.text), segment.style)


def print_table(out: Console, table: Table) -> None:
    """Print a table; where it does not go to a terminal, each row is one line."""
    if not out.is_terminal:
        out.width = WHOLE
    with out.capture() as printed:
        out.print(table)
    out.file.write(re.sub(r" +$", "", printed.get(), flags=re.MULTILINE))
