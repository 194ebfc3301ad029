"""A local class that reads names around it, and is kept in a variable or derived from."""

from __future__ import annotations

from pathlib import Path

import pytest

import dlfix

PROGRAM = """
import torch
from torch.utils.data import DataLoader, Dataset

CLASSES = []

def load(rows, by, length):
    class Scaled(Dataset):
        {init}
        def __len__(self):
            return len(self.rows)
        def __getitem__(self, index):
            return self.rows[index] * by
    class Windows(Scaled):
        {inner}
        def __len__(self):
            return len(self.rows) - length
    {kept}
    return DataLoader({made}, num_workers=2)
"""
KEPT = "cls = Windows if length else Scaled"
INIT = "def __init__(self, rows): self.rows = rows"


def fixed(tmp_path: Path, **parts: str) -> str:
    """Return the fixed text, or why there is no fix."""
    usual = {"init": INIT, "inner": "", "kept": KEPT, "made": "cls(rows)"}
    path = tmp_path / "main.py"
    path.write_text(PROGRAM.format(**{**usual, **parts}))
    findings = dlfix.check([path], isolated=True)
    assert findings
    if findings[0].fix is None:
        return str(findings[0].refused)
    return dlfix.fix_text(path.read_text(), path, isolated=True).text


def test_a_variable_holds_a_partial_of_the_class(tmp_path):
    text = fixed(tmp_path)
    assert "functools.partial(Scaled, by=by)" in text
    assert "(self, rows, *, by):\n        self.by = by\n        self.rows = rows\n" in text
    assert "Windows, by=by, length=length" in text
    assert "super().__init__(rows, by=by)" in text


def test_a_derived_class_passes_on_what_its_base_takes(tmp_path):
    inner = "def __init__(self, rows):\n            super().__init__(rows[1:])"
    text = fixed(tmp_path, inner=inner, kept="pass", made="Windows(rows)")
    assert "super().__init__(rows[1:], by=by)" in text
    assert "Windows(rows, by=by, length=length)" in text


RETURNED = "return Scaled\n\ndef made(rows, by, length):\n    pass"
LATER = {
    "by a name": "cls = load(rows, 2, 0)",
    "at once": "cls = lambda rows: load(rows, 2, 0)(rows)",
    "by a module": "cls = CLASS\n\nCLASS = load((), 3, 0)\n\ndef again(rows):\n    cls = CLASS",
}


@pytest.mark.parametrize("later", LATER.values(), ids=LATER)
def test_a_class_that_is_returned_is_a_partial(tmp_path, later):
    text = fixed(tmp_path, kept=RETURNED.replace("pass", later))
    assert "return functools.partial(Scaled, by=by)" in text


ELSEWHERE = {
    "derived from": "class cls(load(rows, 2, 0)): pass",
    "asked for its name": "cls = load(rows, 2, 0); print(cls.__name__)",
    "passed on": "cls = load(rows, 2, 0); print(cls)",
    "kept by an object": "cls = load(rows, 2, 0); rows.cls = cls",
    "an item": "cls = {1: load(rows, 2, 0)}[1]",
    "handed on": "cls = load(rows, 2, 0); print(load)",
    "global": "global cls; cls = load(rows, 2, 0)",
}


@pytest.mark.parametrize("later", ELSEWHERE.values(), ids=ELSEWHERE)
def test_a_class_that_goes_further_stays(tmp_path, later):
    text = fixed(tmp_path, kept=RETURNED.replace("pass", later))
    assert "used other than by a call" in text


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ({"kept": f"{KEPT}\n    CLASSES.append(cls)"}, "used other than by a call"),
        ({"kept": f"{KEPT}\n    print(cls.__name__)"}, "used other than by a call"),
        ({"kept": f"{KEPT}\n    print(isinstance(rows, cls))"}, "used other than by a call"),
        ({"kept": f"{KEPT}\n    print(isinstance(rows, Scaled))"}, "used other than by a call"),
        ({"kept": "cls = Windows if Scaled else None"}, "used other than by a call"),
        ({"kept": "for cls in (Scaled, Windows): pass"}, "used other than by a call"),
        ({"kept": f"{KEPT}\n    by = 2"}, "which may change"),
        ({"made": "cls(**{'rows': rows})"}, "twice"),
        ({"init": "rows = ()", "made": "cls()"}, "has no `__init__` that"),
        ({"init": "def __init__(self, by): self.rows = by", "made": "cls(by)"}, "already has a parameter"),
        ({"inner": "def __init__(self, rows): self.rows = rows"}, "does not call that of its base"),
        (
            {"inner": "def __init__(self, rows): Scaled.__init__(self, rows)"},
            "used other than by a call",
        ),
    ],
)  # fmt: skip
def test_no_fix(tmp_path, parts, reason):
    assert reason in fixed(tmp_path, **parts)


def test_two_attributes_of_one_value_are_both_set(tmp_path):
    init = f"first = by\n        second = by\n        {INIT}"
    text = fixed(tmp_path, init=init, inner="pass", kept="pass", made="Scaled(rows)")
    assert "self.first = by" in text
    assert "self.second = second" in text
    assert "    second = by\n" in text
