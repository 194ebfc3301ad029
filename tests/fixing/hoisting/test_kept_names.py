"""A local class keeps what it reads around it, if that gets no other value from the class on."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

import dlfix

PROGRAM = """
from torch.utils.data import DataLoader, Dataset

def load(rows, args):
{body}
"""
CLASS = """
class Scaled(Dataset):
    def __len__(self):
        return len(rows)
    def __getitem__(self, index):
        return index * by
"""
LOADED = "return DataLoader(Scaled(), num_workers=2)"
SETTLED = {
    "in two branches": f"if args:\n    by = 1\nelse:\n    by = 2\n{CLASS}{LOADED}",
    "again before": f"by = args\nby = by or 3\n{CLASS}{LOADED}",
    "in a loop before": f"by = 0\nfor arg in args:\n    by = arg\n{CLASS}{LOADED}",
    "in a branch that returns": (
        f"by = 1\nif args:\n{textwrap.indent(CLASS, '    ')}\n    {LOADED}\nby = 2\nreturn by"
    ),
    "before the function of the class": (
        f"by = 1\nif args:\n    by = 2\ndef make():\n{textwrap.indent(CLASS, '    ')}\n"
        f"    {LOADED}\nreturn make()"
    ),
    "with its type declared below": f"by = args\nby: int\n{CLASS}{LOADED}",
}
CHANGING = {
    "after the class": f"by = 1\n{CLASS}by = 2\n{LOADED}",
    "hidden by a parameter": (f"by = 1\n{CLASS}def make(by):\n    {LOADED}\nreturn make(3)"),
    "after an object": f"by = 1\n{CLASS}loader = DataLoader(Scaled(), num_workers=2)\nby = 2\nreturn loader",
    "in a branch after": f"by = 1\n{CLASS}if args:\n    by = 2\n{LOADED}",
    "in the loop of the class": (
        f"loaders = []\nfor arg in args:\n    by = arg\n{textwrap.indent(CLASS, '    ')}\n"
        "    loaders.append(DataLoader(Scaled(), num_workers=2))\nreturn loaders"
    ),
    "by another function": (
        f"by = 0\ndef more():\n    nonlocal by\n    by += 1\n{CLASS}more()\n{LOADED}"
    ),
    "after the function of the class": (
        f"by = 1\ndef make():\n{textwrap.indent(CLASS, '    ')}\n    {LOADED}\n"
        "loader = make()\nby = 2\nreturn loader"
    ),
    "at the end of a return": f"by = 1\ntry:\n{textwrap.indent(CLASS, '    ')}\n    {LOADED}\nfinally:\n    by = 2",
}


def fixed(folder: Path, body: str) -> str:
    """Return the fixed text, or why there is no fix."""
    path = folder / "main.py"
    path.write_text(PROGRAM.format(body=textwrap.indent(body, "    ")))
    findings = dlfix.check([path], isolated=True)
    assert findings
    if findings[0].fix is None:
        return str(findings[0].refused)
    return dlfix.fix_text(path.read_text(), path, isolated=True).text


@pytest.mark.parametrize("body", SETTLED.values(), ids=SETTLED)
def test_a_class_keeps_what_is_set_before_it(tmp_path: Path, body: str) -> None:
    assert "self.by = by" in fixed(tmp_path, body)


@pytest.mark.parametrize("body", CHANGING.values(), ids=CHANGING)
def test_a_class_does_not_keep_what_may_be_set_after_it(tmp_path: Path, body: str) -> None:
    assert "self.by = by" not in fixed(tmp_path, body)
