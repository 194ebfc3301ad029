"""A program is followed from the file that is named to those it imports."""

import pytest

from dlfix.project import imports
from dlfix.project.imports import with_imported
from dlfix.project.project import Project
from tests.cli.test_check import write


def names(folder, *texts):
    for name, text in texts:
        write(folder, name, text)
    project = with_imported(Project([folder / texts[0][0]]))
    return [path.relative_to(folder).as_posix() for path in project.files]


@pytest.mark.parametrize(
    "line",
    [
        "import data.loaders",
        "from data import loaders",
        "from data.loaders import make",
        "from data.loaders import *",
        "def main():\n    from data.loaders import make",
    ],
)
def test_an_imported_module_of_the_tree_is_among_the_files(tmp_path, line):
    found = names(tmp_path, ("train.py", line), ("data/loaders.py", "x = 1"), ("other.py", "y = 1"))
    assert found == ["train.py", "data/loaders.py"]


def test_imports_are_followed_on_and_end_where_they_go_in_circles(tmp_path):
    found = names(
        tmp_path,
        ("p/train.py", "from . import a"),
        ("p/__init__.py", ""),
        ("p/a.py", "from .b import x"),
        ("p/b.py", "from p import train"),
    )
    assert found == ["p/train.py", "p/__init__.py", "p/a.py", "p/b.py"]


def test_what_is_not_in_the_tree_is_not_followed(tmp_path):
    assert names(tmp_path, ("train.py", "import torch, json.decoder, nowhere")) == ["train.py"]


def test_a_file_that_does_not_parse_leads_nowhere(tmp_path):
    found = names(tmp_path, ("train.py", "import a"), ("a.py", "def f(:"))
    assert found == ["train.py"]


def test_following_ends_where_it_would_be_much(tmp_path, monkeypatch):
    monkeypatch.setattr(imports, "MOST", 10)
    chain = [(f"m{n}.py", f"import m{n + 1}") for n in range(5)]
    assert names(tmp_path, *chain) == ["m0.py", "m1.py", "m2.py"]
