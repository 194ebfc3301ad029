"""A named tuple that a function of another module makes says where it is bound."""

from __future__ import annotations

from pathlib import Path

import pytest

import dlfix

MAKER = """
from collections import namedtuple

def make(name, fields):
    return namedtuple(name, fields)
"""
PROGRAM = """
from torch.utils.data import DataLoader
from records import make

{made}

def main():
    for batch in DataLoader([Point(1, 2)], collate_fn=list, num_workers=2):
        print(batch)

if __name__ == "__main__":
    {under_guard}
    main()
"""
MADE = 'Point = make("Point", "x y")'


def checked(tmp_path: Path, made: str = MADE, under_guard: str = "pass") -> list[dlfix.Finding]:
    (tmp_path / "records.py").write_text(MAKER)
    (tmp_path / "main.py").write_text(PROGRAM.format(made=made, under_guard=under_guard))
    return [each for each in dlfix.check([tmp_path], isolated=True) if each.code == "DLF103"]


def test_it_names_the_module_that_binds_it(tmp_path):
    [finding] = checked(tmp_path)
    assert finding.fix is not None
    assert finding.fix.message == "Let the class `Point` name the module that binds it"


def test_one_that_names_its_module_is_found(tmp_path):
    assert checked(tmp_path, f"{MADE}\nPoint.__module__ = __name__") == []


@pytest.mark.parametrize(
    "parts",
    [
        {"made": MADE.replace('"Point"', '"Other"')},
        {"made": f"{MADE}\n{MADE.replace('x y', 'x z')}"},
        {"made": f"for _ in range(2):\n    {MADE}"},
        {"made": f"name = 'Point'\nif name:\n    {MADE}"},
        {"made": "", "under_guard": MADE},
    ],
)
def test_no_fix(tmp_path, parts):
    assert [each.fix for each in checked(tmp_path, **parts)] in ([], [None])
