"""Findings as a JSON list of objects in ruff's shape; what several share is written once."""

from __future__ import annotations

from typing import Any

from dlfix.report.view import Entry, Spot, TextEdit, View
from dlfix.source.printable import json_text


def render(view: View) -> str:
    """Return all findings as JSON."""
    entries = [entry_object(entry) for entry in view.entries]
    return json_text(entries)


def entry_object(entry: Entry) -> dict[str, Any]:
    """Return one finding as it stands in the list."""
    spot = entry.spot
    return {
        "code": entry.code,
        "name": entry.name,
        "severity": entry.severity,
        "message": entry.message,
        "filename": str(spot.path),
        "cell": spot.cell,
        "location": {"row": spot.row, "column": spot.column},
        "end_location": {"row": spot.end_row, "column": spot.end_column},
        "also": [step_object(spot) for spot in entry.also],
        "trace": [step_object(step) for step in entry.trace],
        "error": entry.error or None,
        "fix": _fix(entry),
        "refused": entry.refused,
        "url": entry.url,
    }


def step_object(spot: Spot) -> dict[str, Any]:
    """Return one step of a path."""
    step: dict[str, Any] = {
        "filename": str(spot.path),
        "row": spot.row,
        "column": spot.column,
        "label": spot.label,
    }
    if spot.note:
        step["note"] = spot.note
    if spot.cell is not None:
        step["cell"] = spot.cell
    return step


def _fix(entry: Entry) -> dict[str, Any] | None:
    fix = entry.fix
    if fix is None:
        return None
    return {
        "id": entry.shown_at,
        "applicability": fix.applicability.value,
        "message": fix.message,
        "why_unsafe": fix.why_unsafe or None,
        "edits": [edit_object(edit) for edit in entry.edits] if entry.shows_fix else [],
    }


def edit_object(edit: TextEdit) -> dict[str, Any]:
    """Return one edit."""
    return {
        "filename": str(edit.path),
        "cell": edit.cell,
        "content": edit.content,
        "location": {"row": edit.row, "column": edit.column},
        "end_location": {"row": edit.end_row, "column": edit.end_column},
    }
