"""Fixes run on the oldest Python that the project supports."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from dlfix.config import Settings
from dlfix.fixing.proof.text import broken
from dlfix.project import targets
from dlfix.session import Session
from dlfix.source.text import Position, Span

TYPED = """import sqlite3
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path: str) -> None:
        self.path = path
        self.db = sqlite3.connect(path)

    def __getitem__(self, index: int) -> int:
        return self.db.execute("SELECT ?", [index]).fetchone()[0]


def load(path: str) -> DataLoader:
    return DataLoader(Rows(path), num_workers=2)
"""


def fixed(folder, text=TYPED):
    (folder / "rows.py").write_text(text)
    (change,) = Session.open([folder], Settings()).rewrite().changes
    return change.after.decode()


@pytest.mark.parametrize(
    ("file", "declares"),
    [
        ("pyproject.toml", '[project]\nrequires-python = ">=3.8"\n'),
        ("pyproject.toml", '[tool.poetry.dependencies]\npython = "^3.8"\n'),
        ("setup.cfg", "[options]\npython_requires = >=3.8, <4\n"),
        ("setup.py", 'from setuptools import setup\nsetup(python_requires=">=3.8")\n'),
        ("environment.yml", "name: rows\ndependencies:\n  - numpy\n  - python=3.8.5\n"),
        ("cog.yaml", 'build:\n  gpu: true\n  python_version: "3.8"\n'),
        ("Pipfile", '[requires]\npython_version = "3.8"\n'),
        (".python-version", "3.8.18\n"),
    ],
)
def test_python_3_8_gets_no_annotation_that_fails_there(tmp_path, file, declares):
    (tmp_path / file).write_text(declares)
    after = fixed(tmp_path)
    assert "def __getstate__(self):" in after
    assert "dict[" not in after


@pytest.mark.parametrize("declares", ["", '[project]\nrequires-python = ">=3.10"\n'])
def test_a_newer_python_gets_annotations(tmp_path, declares):
    (tmp_path / "pyproject.toml").write_text(declares)
    assert "def __getstate__(self) -> dict[str, object]:" in fixed(tmp_path)


@pytest.mark.parametrize(("declares", "count"), [("", 0), ("requires-python = '>=3.9'\n", 1)])
def test_a_file_with_the_generics_of_python_3_8_is_taken_to_need_them(tmp_path, declares, count):
    (tmp_path / "pyproject.toml").write_text(f"[project]\n{declares}")
    after = fixed(tmp_path, f"from typing import List\n\n{TYPED}")
    assert after.count("-> dict[str, object]:") == count


def test_annotations_that_are_not_evaluated_are_written(tmp_path):
    (tmp_path / "pyproject.toml").write_text('[project]\nrequires-python = ">=3.8"\n')
    after = fixed(tmp_path, f"from __future__ import annotations\n\n{TYPED}")
    assert "-> dict[str, object]:" in after


@pytest.mark.parametrize(("oldest", "is_used"), [("3.7", False), ("3.8", True)])
def test_a_fix_takes_the_form_that_runs_on_the_oldest_python(tmp_path, oldest, is_used):
    (tmp_path / "pyproject.toml").write_text(f'[project]\nrequires-python = ">={oldest}"\n')
    after = fixed(tmp_path)
    assert ("functools.cached_property" in after) is is_used
    assert "def db(self)" in after


def test_a_name_that_is_imported_from_its_module_needs_its_python_too(tmp_path):
    (tmp_path / "setup.py").write_text(
        "NEEDS = '>=3.6.0'\nfrom setuptools import setup\nsetup(python_requires=NEEDS)\n"
    )
    after = fixed(tmp_path, f"from functools import partial\n\n{TYPED}")
    assert "cached_property" not in after
    assert "def db(self)" in after


@pytest.mark.parametrize(("oldest", "is_broken"), [("3.7", True), ("3.8", False)])
def test_parameters_by_position_alone_need_python_3_8(tmp_path, oldest, is_broken):
    (tmp_path / "pyproject.toml").write_text(f'[project]\nrequires-python = ">={oldest}"\n')
    before, after = "def f(x):\n    return x\n", "def f(x, /):\n    return x\n"
    whole = Span(Position(1, 0), Position(2, 12))
    reason = broken(tmp_path / "rows.py", before, after, [whole])
    assert ("does not compile on Python 3.7" in (reason or "")) is is_broken


@pytest.mark.parametrize(
    ("declares", "running", "judged"),
    [
        (">=3.14", 11, 14),
        (">=3.10", 11, 11),
        (">=3.10", 14, 14),
        (">=3.10,<3.14", 14, 13),
        (">=3.12, <4", 11, 12),
    ],
)
def test_a_file_is_judged_by_the_python_that_runs_as_far_as_its_project_supports_it(
    tmp_path, monkeypatch, declares, running, judged
):
    (tmp_path / "pyproject.toml").write_text(f'[project]\nrequires-python = "{declares}"\n')
    monkeypatch.setattr(targets, "sys", SimpleNamespace(version_info=(3, running, 0)))
    assert targets.python_of(tmp_path / "rows.py") == (3, judged)


CYCLING = """import itertools
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, names):
        self.names = itertools.cycle(names)

    def __getitem__(self, index):
        return next(self.names)


def load(names):
    return DataLoader(Rows(names), num_workers=2)
"""


@pytest.mark.parametrize(
    ("declares", "codes"), [(">=3.14", ["DLF206"]), (">=3.10,<3.14", []), (">=3.14,<4", ["DLF206"])]
)
def test_what_a_newer_python_cannot_pickle_is_found_where_the_project_needs_that(
    tmp_path, declares, codes
):
    (tmp_path / "pyproject.toml").write_text(f'[project]\nrequires-python = "{declares}"\n')
    (tmp_path / "rows.py").write_text(CYCLING)
    found = Session.open([tmp_path], Settings()).diagnoses()
    assert [each.finding.code for each in found] == codes
    errors = [each.finding.error for each in found]
    assert all(error == "TypeError: cannot pickle 'itertools.cycle' object" for error in errors)
