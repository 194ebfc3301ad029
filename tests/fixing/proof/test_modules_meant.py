"""Which modules an expression may stand for."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from dlfix.fixing.proof.modules_meant import may_be
from dlfix.fixing.proof.program import Program
from dlfix.project.project import Project


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("node = start()\nwhile node:\n    node = node.parent\nvars(node)", False),
        ("a = b.one\nb = a.two\nvars(a)", False),
        ("import own\nm = own\nvars(m)", True),
        ("import pack.own\nm = pack.own\nvars(m)", False),
    ],
)
def test_a_name_that_is_bound_to_a_part_of_itself_ends(tmp_path: Path, text: str, expected: bool):
    (tmp_path / "main.py").write_text(text)
    (tmp_path / "own.py").write_text("x = 1\n")
    tree = Project(sorted(tmp_path.glob("*.py")))
    (module,) = tree.mentions("vars")
    (wanted,) = (each for each in [tree.get(tmp_path / "own.py")] if each is not None)
    (call,) = (each for each in module.calls_by_name["vars"] if isinstance(each, ast.Call))
    assert may_be(Program(tree), module, call.args[0], wanted) is expected
