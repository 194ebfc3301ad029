"""The list of all rules."""

from __future__ import annotations

import json
from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from dlfix.report.text import STYLES
from dlfix.rules.base import Rule
from dlfix.rules.pages import fixable, markdown, summary


def as_table(rules: Sequence[type[Rule]]) -> Table:
    """Return the rules as a table."""
    table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0))
    table.add_column("code", no_wrap=True)
    table.add_column("name", no_wrap=True)
    table.add_column("fix", no_wrap=True)
    table.add_column("summary", ratio=1)
    for rule in rules:
        code = Text(rule.code, style=STYLES[rule.severity])
        table.add_row(code, rule.name, "yes" if fixable(rule) else "-", summary(rule))
    return table


def as_json(rules: Sequence[type[Rule]]) -> str:
    """Return the rules as JSON, pages included."""
    told = [
        {
            "code": rule.code,
            "name": rule.name,
            "severity": rule.severity,
            "codemods": list(rule.codemods),
            "summary": summary(rule),
            "page": markdown(rule),
        }
        for rule in rules
    ]
    return json.dumps(told, indent=2) + "\n"
