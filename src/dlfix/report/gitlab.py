"""Findings as a GitLab code-quality report."""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import Any

from dlfix.report.view import Entry, View, relative
from dlfix.source.printable import json_text

SEVERITIES = {"error": "major", "warning": "minor", "likely": "info"}


def render(view: View) -> str:
    """Return the report."""
    seen: Counter[str] = Counter()
    issues = [_issue(entry, view, seen) for entry in view.entries]
    return json_text(issues)


def _issue(entry: Entry, view: View, seen: Counter[str]) -> dict[str, Any]:
    spot = entry.spot
    return {
        "description": f"{entry.code}: {entry.message}",
        "check_name": entry.code,
        "fingerprint": fingerprint(entry, view, seen),
        "severity": SEVERITIES[entry.severity],
        "location": {
            "path": relative(spot.path),
            "positions": {
                "begin": {"line": spot.row, "column": spot.column},
                "end": {"line": spot.end_row, "column": spot.end_column},
            },
        },
    }


def fingerprint(entry: Entry, view: View, seen: Counter[str]) -> str:
    """Return a name for a finding that outlives lines moving about: file, code, and its line's text."""
    line = view.lines(entry.path)[entry.finding.place.span.start.row - 1].strip()
    key = f"{relative(entry.path)}\0{entry.code}\0{line}"
    seen[key] += 1
    return hashlib.sha256(f"{key}\0{seen[key]}".encode(errors="surrogatepass")).hexdigest()[:32]
