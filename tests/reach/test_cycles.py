"""What goes in circles has the same values in whatever order it is asked for."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.reach.paths import analysis_of

PROGRAMS = {
    "an argument changed in place and passed on": """
class Filters:
    def _shift(self, row):
        row -= 2 * row[0]
        return row

    def _scale(self, row):
        return row

class Rows(Filters):
    def __init__(self, count):
        self.rows = list(range(count)).copy()

    def __getitem__(self, index):
        row = self.rows[index]
        row = self._scale(self._shift(row))
        return row

Rows(3)[0]
""",
    "an attribute filled from itself": """
class Rows:
    def __init__(self, made):
        self.made = made

    def split(self):
        kept = []
        for each in self.made:
            kept.append(each)
        return Rows(kept)

Rows([lambda: 1, lambda: 2]).split().split()
""",
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_the_order_of_questions_changes_no_answer(program: str, tmp_path: Path) -> None:
    assert _values(program, tmp_path, False) == _values(program, tmp_path, True)


def _values(program: str, folder: Path, backwards: bool) -> dict[tuple[int, str], set[str]]:
    """Return of what kinds each name of a program may be, asked in the order of the text or backwards."""
    interpreter = analysis_of(folder, program, prelude="").interpreter
    (module,) = interpreter.project.mentions("def")
    nodes = [n for n in ast.walk(module.tree) if isinstance(n, (ast.Name, ast.Attribute))]
    found = {}
    for node in reversed(nodes) if backwards else nodes:
        values = interpreter.values_at(node, interpreter.frame_at(module, node))
        found[node.lineno, ast.unparse(node)] = {type(value).__name__ for value in values}
    return found
