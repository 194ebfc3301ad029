"""Findings one a line."""

from __future__ import annotations

from rich.text import Text

from dlfix.report.text import STYLES
from dlfix.report.view import Entry, View
from dlfix.source.printable import visible


def line(entry: Entry) -> Text:
    """Return `train.py:67:9: DLF101 [*] a lambda ...`; the star says that a fix is at hand."""
    spot = entry.spot
    text = Text()
    text.append(spot.file, style="bold")
    text.append(f":{spot.row}:{spot.column}: ", style="dim")
    text.append(entry.code, style=STYLES[entry.severity])
    if entry.fix:
        text.append(" [*]" if entry.safe else " [?]", style="cyan")
    text.append(f" {visible(entry.message)}")
    return text


def render(view: View) -> list[Text]:
    """Return a line for each finding."""
    return [line(entry) for entry in view.entries]
