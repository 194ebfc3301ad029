"""What a library's object keeps of a function that it is given by position, and who may ask for it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from dlfix.fixing.proof.program import Program
from dlfix.fixing.proof.value_flow import is_about, known_as
from dlfix.project.project import Project

HEAD = "import inspect\nimport library\nfrom torchvision import transforms\n\nclass Own:\n    def __init__(self):\n        self.function = None\n\n"


def asks(folder: Path, text: str, word: str) -> bool:
    """Return whether a question in `main.py` may be of the lambda there."""
    (folder / "main.py").write_text(HEAD + text)
    tree = Project([folder / "main.py"])
    (module,) = tree.mentions(word)
    (node,) = (n for n in module.nodes_by_name[word] if module.parent(n) is not None)
    (made,) = (n for n in module.nodes(ast.Lambda))
    known = known_as(Program(tree), module, [made])
    assert known is not None
    return is_about(module, node, known)


KNOWN = "t = transforms.Lambda(lambda x: x)\n"
UNKNOWN = "t = library.Keeps(lambda x: x)\n"


@pytest.mark.parametrize(
    ("made", "text", "asked"),
    [
        (KNOWN, "print(t.lambd.__name__)", True),
        (KNOWN, "f = t.lambd\nprint(f.__name__)", True),
        (KNOWN, "def show(f):\n    print(f.__name__)\nshow(Own())", False),
        (KNOWN, "TABLE = {}\nprint(TABLE['a'].__name__, 1)", False),
        (UNKNOWN, "print(t.kept.__name__)", True),
        (UNKNOWN, "f = t.kept\nprint(f.__name__)", True),
        (UNKNOWN, "def show(f):\n    print(f.__name__)\nshow(t.kept)", True),
        (UNKNOWN, "for f in t.kept_ones:\n    print(f.__name__)", True),
        (UNKNOWN, "print(getattr(t, 'kept').__name__)", True),
        (UNKNOWN, "print(vars(t)['kept'].__name__)", True),
        (UNKNOWN, "print(t.__dict__['kept'].__name__)", True),
        (UNKNOWN, "print(Own().function.__name__)", False),  # an attribute that the project sets
        (UNKNOWN, "print(type(t).__name__, 1)", False),
        (UNKNOWN, "TABLE = {}\nfn = TABLE['a']\nprint(fn.__name__, 'a')", False),
        (UNKNOWN, "import torch\nprint(torch.relu.__name__)", False),
    ],
)
def test_a_question_may_be_of_what_a_library_keeps(tmp_path: Path, made, text, asked):
    assert asks(tmp_path, made + text, "__name__") == asked
