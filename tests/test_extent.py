"""How much a result rests on is said alike by `check` and `apply`."""

from __future__ import annotations

import ast
from pathlib import Path

from dlfix.config import Settings
from dlfix.project.extent import too_much
from dlfix.session import Session

SOURCE = """\
from torch.utils.data import DataLoader

def main():
    DataLoader([1], num_workers=2)
"""


def test_an_apply_with_nothing_to_fix_says_how_much_was_followed(tmp_path: Path) -> None:
    """The loader that was looked at is counted after a rewrite too."""
    path = tmp_path / "main.py"
    path.write_text(SOURCE, encoding="utf-8")
    checked, applied = (Session.open([path], Settings()) for _ in range(2))
    assert checked.diagnoses() == []
    assert not applied.rewrite().changes
    assert applied.extent == checked.extent
    assert applied.extent.loaders == 1


def test_the_line_that_is_nested_too_deeply_is_named():
    text = "first = 1\nx = first" + ".a" * 299 + "\n"
    assert too_much(ast.parse(text), text) == "line 2 is nested deeper than 300 levels"


def test_what_a_sampler_of_a_library_gives_is_no_object_unknown(tmp_path: Path) -> None:
    path = tmp_path / "main.py"
    call = "def make(rows):\n    DataLoader(SOURCE, num_workers=2)"
    text = "from torch.utils.data import DataLoader\nfrom library import Sampler\n"
    unknown = {}
    for data in ("[1], sampler=Sampler(3)", "rows"):
        path.write_text(text + call.replace("SOURCE", data), encoding="utf-8")
        session = Session.open([path], Settings())
        session.diagnoses()
        unknown[data] = session.extent.unknown
    assert unknown == {"[1], sampler=Sampler(3)": 0, "rows": 1}


def test_a_dataset_that_a_library_out_of_view_makes_is_unknown(tmp_path: Path) -> None:
    path = tmp_path / "main.py"
    text = "import numpy\nfrom library import build_rows\nfrom torch.utils.data import DataLoader\n"
    unknown = {}
    for rows in ("build_rows('train')", "numpy.arange(8)", "[1, 2]"):
        path.write_text(f"{text}def make():\n    return DataLoader({rows}, num_workers=2)\n")
        session = Session.open([path], Settings())
        assert session.diagnoses() == []
        unknown[rows] = session.extent.unknown
    assert unknown == {"build_rows('train')": 1, "numpy.arange(8)": 0, "[1, 2]": 0}
