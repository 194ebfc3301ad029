"""Findings as workflow commands of GitHub Actions."""

from __future__ import annotations

from dlfix.report.view import Entry, View, relative
from dlfix.source.printable import visible


def render(view: View) -> str:
    """Return a command for each finding."""
    return "".join(_command(entry) + "\n" for entry in view.entries)


def _command(entry: Entry) -> str:
    spot = entry.spot
    where = {
        "title": f"dlfix ({entry.code})",
        "file": "\n".join(map(visible, relative(spot.path).split("\n"))),
        "line": spot.row,
        "col": spot.column,
        "endLine": spot.end_row,
        "endColumn": spot.end_column,
    }
    told = ",".join(f"{key}={_property(str(value))}" for key, value in where.items())
    cell = f" (cell {spot.cell})" if spot.cell is not None else ""
    level = "notice" if entry.severity == "likely" else entry.severity
    return f"::{level} {told}::{_data(f'{entry.code} {visible(entry.message)}{cell}')}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
