"""Where other code sets an attribute that objects of a class have."""

from __future__ import annotations

from pathlib import Path

import pytest

from dlfix.fixing.proof import writes
from dlfix.fixing.proof.program import Program
from dlfix.project.project import Project

ROWS = "class Rows:\n    def __init__(self, path):\n        self.path = path\n"
MAIN = (
    "from rows import Rows\nimport argparse\n"
    "def main(params):\n    params.path = 'a'\n    return Rows(params.path)\n"
)


@pytest.mark.parametrize(
    ("given", "is_set"),
    [
        ("argparse.ArgumentParser().parse_args()", False),
        ("argparse.Namespace(path='b')", False),
        ("Rows('b')", True),
        ("thing", True),
    ],
)
def test_options_of_a_program_are_no_object_of_the_class(tmp_path: Path, given: str, is_set: bool):
    files = {
        "rows.py": ROWS,
        "train.py": f"{MAIN}params = argparse.ArgumentParser().parse_args()\nmain(params)\n",
        "test.py": f"{MAIN}params = {given}\nmain(params)\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    program = Program(Project(sorted(tmp_path.glob("*.py"))))
    (rows,) = (c for m in program.project.mentions("Rows") for c in program.classes(m))
    found = [*writes.outside(program, program.family(rows), "path")]
    assert any(each.module.path.name == "test.py" for each in found) is is_set
