from __future__ import annotations

import ast
from pathlib import Path

import pytest

from dlfix.fixing.proof.handed import is_about, known_as
from dlfix.fixing.proof.program import Program
from dlfix.project.project import Project


def project(folder: Path, texts: dict[str, str]) -> Project:
    for name, text in texts.items():
        (folder / name).write_text(text)
    return Project(sorted(folder.glob("*.py")))


HEAD = "import functools\nfrom torch.utils.data import DataLoader\nfrom own import Loader\n"
OWN = "from torch.utils.data import DataLoader\n\n\nclass Loader(DataLoader):\n    pass\n"


def names(tmp_path: Path, text: str) -> set[str] | None:
    tree = project(tmp_path, {"main.py": HEAD + text, "own.py": OWN})
    module = next(each for each in tree.mentions("DataLoader") if each.path.name == "main.py")
    moved = [*module.nodes(ast.Lambda), *module.nodes(ast.FunctionDef)]
    inner = [each for each in moved if not isinstance(module.parent(each), ast.Module)]
    return known_as(Program(tree), module, inner)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("DataLoader(d, collate_fn=lambda b: b)", {"<lambda>", "collate_fn"}),
        ("DataLoader(d, transforms=[lambda b: b])", {"<lambda>", "transforms"}),
        ("def f():\n    def c(b): pass\n    DataLoader(d, collate_fn=c)", {"c", "collate_fn"}),
        ("Loader(d, collate_fn=lambda b: b)", None),
        ("functools.wraps(lambda b: b)", None),
        ("register(lambda b: b)", None),
        ("def f():\n    return lambda b: b", None),
        ("def f():\n    def c(b): pass\n    DataLoader(d, collate_fn=c)\n    show(c)", None),
        ("f = lambda b: b\nDataLoader(d, collate_fn=f)", None),
    ],
)
def test_the_names_of_what_only_a_library_gets(
    tmp_path: Path, text: str, expected: set[str] | None
):
    assert names(tmp_path, text) == expected


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("print(loader.collate_fn.__name__)", True),
        ("print(func.__name__)", False),
        ("assert type(collate_fn.__name__) == str", True),
    ],
)
def test_a_question_is_about_a_function_by_one_of_its_names(tmp_path: Path, text: str, about: bool):
    tree = project(tmp_path, {"main.py": text})
    (module,) = tree.mentions("__name__")
    (node,) = module.nodes_by_name["__name__"]
    assert is_about(module, node, {"collate_fn"}) is about
    assert is_about(module, node, None)
