"""A local class whose bases its function is passed: its objects name the arguments of that function."""

from __future__ import annotations

from pathlib import Path

import pytest

import dlfix

PROGRAM = """
import torch
from torch.utils.data import DataLoader, Dataset

class Numbers(Dataset):
    def __len__(self):
        return 3
    def __getitem__(self, index):
        return index

class Halves(Numbers):
    pass

KINDS = {{"numbers": Numbers, "halves": Halves}}

{decorator}
def rows_of({parameters}){returns}:
    {first}
    class Rows({bases}){body}
    return Rows

class Holder(Dataset):
    def __init__(self, made):
        self.made = made
    def __len__(self):
        return 3
    def __getitem__(self, index):
        return index

def load(kind):
    return DataLoader({made}, num_workers=2)

if __name__ == "__main__":
    for row in load("halves"):
        print(row)
"""
PARTS = {
    "decorator": "",
    "parameters": "kind",
    "returns": "",
    "first": '"""Return a class."""',
    "bases": "KINDS[kind]",
    "body": ":\n        pass",
    "made": "rows_of(kind)()",
}


def fixed(tmp_path: Path, **parts: str) -> str:
    """Return the fixed text, or why there is no fix."""
    path = tmp_path / "main.py"
    path.write_text(PROGRAM.format(**{**PARTS, **parts}))
    findings = [each for each in dlfix.check([path], isolated=True) if each.code == "DLF103"]
    assert findings
    if findings[0].fix is None:
        return str(findings[0].refused)
    return dlfix.fix_text(path.read_text(), path, isolated=True).text


MADE = """
@functools.lru_cache(maxsize=None)
def rows_of(kind):
    \"\"\"Return a class.\"\"\"
    class Rows(KINDS[kind]):
        def __reduce__(self):
            # pickle cannot find a local class by its name
            return _new_rows, (kind,), self.__dict__
    return Rows

def _new_rows(kind):
    cls = rows_of(kind)
    return cls.__new__(cls)
"""


def test_the_class_is_made_again(tmp_path):
    assert MADE in fixed(tmp_path)


def test_a_class_on_one_line_gets_a_block(tmp_path):
    assert MADE in fixed(tmp_path, body=": pass")


def test_what_is_annotated_stays_so(tmp_path):
    text = fixed(tmp_path, parameters="kind: str", returns=" -> type")
    assert "def __reduce__(self) -> tuple[object, ...]:\n" in text
    assert "def _new_rows(kind: str) -> object:\n" in text


def test_names_that_are_taken_are_left_alone(tmp_path):
    text = fixed(tmp_path, parameters="cls", bases="KINDS[cls]", made="rows_of(kind)(), _new_rows")
    assert "def _new_rows_2(cls):\n    made = rows_of(cls)\n    return made.__new__(made)\n" in text


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ({"made": "Holder(rows_of(kind))"}, "is used other than to make"),
        ({"made": "Holder([rows_of(kind)(), rows_of(kind)])"}, "is sent itself"),
        ({"decorator": "@torch.no_grad()"}, "has a decorator"),
        ({"parameters": "kind='halves'"}, "by position"),
        ({"parameters": "*kind"}, "may differ in each call"),
        ({"made": "rows_of(kind=kind)()"}, "is not passed all arguments by position"),
        ({"made": "rows_of(*[kind])()"}, "is not passed all arguments by position"),
        ({"first": "print(kind)"}, "does more than to define the class"),
        ({"first": "torch.manual_seed(0)"}, "does more than to define the class"),
        ({"bases": "KINDS[kind], metaclass=type(Dataset)"}, "takes part in making the class"),
    ],
)
def test_what_stays_as_it_is(tmp_path, parts, reason):
    assert reason in fixed(tmp_path, **parts)


def test_a_class_of_a_local_function_stays(tmp_path):
    inner = "def inner(base):\n        class Rows(base):\n            pass\n        return Rows"
    text = fixed(tmp_path, first=inner, made="rows_of(Numbers)()", bases="inner(kind)")
    assert "does more than to define the class" in text or "may differ" in text
