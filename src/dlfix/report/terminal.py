"""Consoles that show text of other people's and never act on it."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from dlfix.source.printable import visible_block


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
