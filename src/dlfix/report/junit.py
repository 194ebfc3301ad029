"""Findings as JUnit XML, a test case each."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

from dlfix.report.view import Entry, View, relative
from dlfix.source.printable import visible_block

# What XML 1.0 cannot hold, escaped or not.
FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

# What a CI runner that reads the document in its log would take for a command.
COMMAND = re.compile(r"(?<!\S):(?=:)|#(?=#\[)")


def render(view: View) -> str:
    """Return the document."""
    suites = ET.Element(
        "testsuites", name="dlfix", tests=str(max(1, len(view.entries))), failures=str(len(view.entries))
    )  # fmt: skip
    if not view.entries:
        suite = ET.SubElement(suites, "testsuite", name="dlfix", tests="1", failures="0")
        ET.SubElement(suite, "testcase", classname="dlfix", name="no findings")
    for path in dict.fromkeys(entry.path for entry in view.entries):
        _suite(suites, _clean(relative(path)), [one for one in view.entries if one.path == path])
    ET.indent(suites)
    text = COMMAND.sub(lambda found: f"&#{ord(found[0])};", ET.tostring(suites, "unicode"))
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _suite(suites: ET.Element, name: str, entries: list[Entry]) -> None:
    count = str(len(entries))
    suite = ET.SubElement(suites, "testsuite", name=name, tests=count, failures=count)
    for entry in entries:
        spot = entry.spot
        case = ET.SubElement(
            suite, "testcase", name=f"{entry.code} {entry.name}", classname=name,
            file=name, line=str(spot.row),
        )  # fmt: skip
        failure = ET.SubElement(case, "failure", message=_clean(entry.message), type=entry.code)
        told = [f"{spot.file}:{spot.row}:{spot.column}: {entry.message}"]
        told += [f"  {step.shown}  {step.label}" for step in entry.trace]
        failure.text = _clean("\n".join(told))


def _clean(text: str) -> str:
    return FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", visible_block(text))
