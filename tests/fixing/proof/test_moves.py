"""What a notebook's fix moves to a module is part of the notebook; other files that change with it are not asked."""

from pathlib import Path

from dlfix.fixing.proof import moves
from dlfix.project.project import Project

BOOK, SCRIPT = Path("/program/train.ipynb"), Path("/program/predict.py")


def reasons(cell: str) -> list[str]:
    """Return what is said of a script that gets a function while a notebook is rewritten."""
    old = Project([BOOK, SCRIPT], {BOOK: "def load(x):\n    return x\n", SCRIPT: "import os\n"})
    new = old.with_texts({BOOK: cell, SCRIPT: "import os\n\n\ndef init(x):\n    pass\n"})
    return [each.reason for each in moves.check(old, new, SCRIPT, [BOOK, SCRIPT])]


def test_a_script_that_no_notebook_imports_may_get_code_of_its_own():
    assert reasons("from workers import load") == []


def test_a_module_that_a_notebook_imports_gets_nothing_but_its_statements():
    why = ["the statement is not part of the notebook (predict.py:4)"]
    assert reasons("from predict import load") == why
