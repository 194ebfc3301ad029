"""Findings as SARIF 2.1.0: paths as code flows, fixes as replacements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from dlfix import __version__
from dlfix.report.gitlab import fingerprint
from dlfix.report.view import Entry, Spot, TextEdit, View, page_address
from dlfix.rules.base import Rule
from dlfix.rules.pages import markdown, summary
from dlfix.source.printable import json_text, uri_path

LEVELS = {"error": "error", "warning": "warning", "likely": "note"}
SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def render(view: View) -> str:
    """Return the log."""
    rules = sorted({entry.rule for entry in view.entries}, key=lambda rule: rule.code)
    seen: Counter[str] = Counter()
    run = {
        "tool": {"driver": {
            "name": "dlfix",
            "semanticVersion": __version__,
            "rules": [_rule(rule) for rule in rules],
        }},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"ROOT": {"uri": Path.cwd().as_uri() + "/"}},
        "results": [_result(entry, rules, view, seen) for entry in view.entries],
        "invocations": [{
            "executionSuccessful": not view.session.unreadable(),
            "toolExecutionNotifications": [
                {"level": "error", "message": {"text": str(error)}}
                for error in view.session.unreadable()
            ],
        }],
    }  # fmt: skip
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json_text(log)


def _rule(rule: type[Rule]) -> dict[str, Any]:
    address = page_address(rule.code)
    return {
        **({"helpUri": address} if address else {}),
        "id": rule.code,
        "name": "".join(word.capitalize() for word in rule.name.split("-")),
        "shortDescription": {"text": summary(rule)},
        "help": {"text": markdown(rule), "markdown": markdown(rule)},
        "defaultConfiguration": {"level": LEVELS[rule.severity]},
    }


def _result(
    entry: Entry, rules: list[type[Rule]], view: View, seen: Counter[str]
) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": entry.code,
        "ruleIndex": rules.index(entry.rule),
        "level": LEVELS[entry.severity],
        "message": {"text": entry.message},
        "locations": [_location(entry.spot)],
        "partialFingerprints": {"dlfix/v1": fingerprint(entry, view, seen)},
    }
    if entry.also:
        result["relatedLocations"] = [_location(spot, spot.label) for spot in entry.also]
    if entry.trace:
        steps = [{"location": _location(step, _told(step))} for step in entry.trace]
        result["codeFlows"] = [{"threadFlows": [{"locations": steps}]}]
    if entry.fix:
        result["properties"] = {"fix": entry.shown_at}
    # SARIF has no word for a notebook's cell: edits in one would land elsewhere.
    if entry.shows_fix and entry.edits and all(edit.cell is None for edit in entry.edits):
        result["fixes"] = [_fix(entry)]
    return result


def _told(step: Spot) -> str:
    return f"{step.label} ({step.note})" if step.note else step.label


def _location(spot: Spot, message: str = "") -> dict[str, Any]:
    location: dict[str, Any] = {"physicalLocation": {
        "artifactLocation": _artifact(spot.path),
        "region": {
            "startLine": spot.row, "startColumn": spot.column,
            "endLine": spot.end_row, "endColumn": spot.end_column,
        },
    }}  # fmt: skip
    if spot.cell is not None:
        location["logicalLocations"] = [{"name": f"cell {spot.cell}", "kind": "module"}]
    if message:
        location["message"] = {"text": message}
    return location


def _artifact(path: Path) -> dict[str, str]:
    here = Path.cwd()
    if path.is_relative_to(here):
        return {"uri": uri_path(path.relative_to(here).as_posix()), "uriBaseId": "ROOT"}
    return {"uri": path.as_uri()}


def _fix(entry: Entry) -> dict[str, Any]:
    assert entry.fix is not None
    unsafe = "" if entry.safe else " (unsafe)"
    return {
        "description": {"text": entry.fix.message + unsafe},
        "artifactChanges": list(_changes(entry)),
    }


def _changes(entry: Entry) -> Iterable[dict[str, Any]]:
    for path in dict.fromkeys(edit.path for edit in entry.edits):
        replacements = [_replacement(edit) for edit in entry.edits if edit.path == path]
        yield {"artifactLocation": _artifact(path), "replacements": replacements}


def _replacement(edit: TextEdit) -> dict[str, Any]:
    replacement: dict[str, Any] = {"deletedRegion": {
        "startLine": edit.row, "startColumn": edit.column,
        "endLine": edit.end_row, "endColumn": edit.end_column,
    }}  # fmt: skip
    if edit.content:
        replacement["insertedContent"] = {"text": edit.content}
    return replacement
