"""Findings of a file that was named: its objects, and what its loaders send from other files."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from dlfix.cli import app

TRAIN = """\
from torch.utils.data import DataLoader

from data import Rows


def main():
    for batch in DataLoader(Rows(), num_workers=2):
        print(batch)
"""
ROWS = """\
class Rows:
    def __init__(self):
        self.f = lambda x: x
"""
# A nearer loader of the same objects.
EVALUATE = TRAIN.replace("DataLoader(Rows(), ", "DataLoader(dataset=Rows(), ").replace(
    "    for batch", "    rows = Rows()\n    for batch"
)
ELSEWHERE = "the fix changes data.py, which is not among the given paths"


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "train.py").write_text(TRAIN)
    (tmp_path / "data.py").write_text(ROWS)

    def run(*arguments):
        return CliRunner().invoke(app, [*arguments, "--no-cache"])

    return run


def squeezed(done):
    return " ".join(done.stdout.split())


def test_what_a_loader_sends_from_another_file_is_found_in_the_file_of_the_loader(run):
    done = run("check", "train.py")
    assert done.exit_code == 1
    assert "--> data.py:3:18" in done.stdout
    assert "DataLoader(...) train.py:7" in squeezed(done)
    assert ELSEWHERE in done.stdout


def test_an_object_is_found_in_its_file_though_the_loader_is_in_another(run):
    done = run("check", "data.py")
    assert done.exit_code == 1
    assert "fix:" in done.stdout
    assert ELSEWHERE not in done.stdout


def test_only_what_was_named_is_changed(run, tmp_path):
    done = run("apply", "train.py")
    assert done.exit_code == 1
    assert ELSEWHERE in done.stdout
    assert (tmp_path / "data.py").read_text() == ROWS
    assert run("apply", "data.py").exit_code == 0


def test_a_file_that_sends_nothing_has_none_of_the_findings_of_others(run, tmp_path):
    (tmp_path / "other.py").write_text("from torch.utils.data import DataLoader\n\nimport train\n")
    done = run("check", "other.py")
    assert done.exit_code == 0
    assert len(done.stdout.splitlines()) == 1


def test_each_loader_of_an_object_is_one_that_can_be_named(run, tmp_path):
    (tmp_path / "evaluate.py").write_text(EVALUATE)
    for name in ("train", "evaluate"):
        assert f"DataLoader(...) {name}.py:" in squeezed(run("check", f"{name}.py"))
    assert run("check", ".").stdout.count("DLF101") == 1


def test_a_comment_that_suppresses_it_is_added_where_it_may_be_written(run, tmp_path):
    assert run("check", "--add-ignores", "train.py").exit_code == 0
    assert (tmp_path / "data.py").read_text() == ROWS
    assert "num_workers=2):  # dlfix: ignore[DLF101]\n" in (tmp_path / "train.py").read_text()
    assert run("check", "train.py").exit_code == 0
    assert run("check", ".").exit_code == 0


def test_the_settings_of_the_file_of_the_object_count(run, tmp_path):
    (tmp_path / "pyproject.toml").write_text(
        '[tool.dlfix.per-file-ignores]\n"data.py" = ["DLF101"]\n'
    )
    assert run("check", "train.py").exit_code == 0


def test_a_folder_is_read_in_its_project(run, tmp_path):
    (tmp_path / "source").mkdir()
    (tmp_path / "data.py").rename(tmp_path / "source" / "data.py")
    train = TRAIN.replace("from data", "import sys\n\nsys.path.append('source')\nfrom data")
    (tmp_path / "train.py").write_text(train)
    assert "--> source/data.py:3:18" in run("check", "source").stdout


def test_a_loader_in_a_notebook_is_found_from_the_file_of_the_object(run, tmp_path):
    import json

    (tmp_path / "train.py").unlink()
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "source": TRAIN.splitlines(True)}
    book = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "train.ipynb").write_text(json.dumps(book, indent=1))
    assert "DataLoader(...) train.ipynb:cell 1:7" in squeezed(run("check", "data.py"))


def test_a_trace_has_the_trees_in_which_the_file_occurs(run, tmp_path):
    other = TRAIN.replace("from data import Rows\n", "import train\n").replace("Rows()", "[train]")
    (tmp_path / "other.py").write_text(other)

    def trace(path):
        return CliRunner().invoke(app, ["trace", path])

    assert trace("data.py").stdout.count("DataLoader(...)") == 1
    assert trace("other.py").stdout.count("DataLoader(...)") == 1
    assert trace(".").stdout.count("DataLoader(...)") == 2


def test_what_an_excluded_folder_sends_is_not_reported(run, tmp_path):
    (tmp_path / "dist").mkdir()
    (tmp_path / "data.py").rename(tmp_path / "dist" / "data.py")
    (tmp_path / "train.py").write_text(TRAIN.replace("from data", "from dist.data"))
    assert run("check", ".").exit_code == 0
    assert run("check", "train.py").exit_code == 0


def in_sibling_folders(folder, exclude=""):
    """Lay a script and what it imports from a sibling folder, without a project around them."""
    head = 'import sys\n\nsys.path.insert(0, "..")\n'
    (folder / "app").mkdir()
    (folder / "lib").mkdir()
    (folder / "app" / "train.py").write_text(head + TRAIN.replace("from data", "from lib.data"))
    (folder / "lib" / "data.py").write_text(ROWS)
    (folder / "pyproject.toml").unlink()
    if exclude:
        (folder / "dlfix.toml").write_text(f'exclude = ["{exclude}"]\n')


def test_what_a_script_without_a_project_imports_from_a_sibling_folder_is_reported(run, tmp_path):
    in_sibling_folders(tmp_path)
    done = run("check", "app/train.py")
    assert done.exit_code == 1
    assert "--> lib/data.py:3:18" in done.stdout
    assert ELSEWHERE in done.stdout


def test_what_a_script_without_a_project_imports_is_not_reported_where_it_is_excluded(
    run, tmp_path
):
    in_sibling_folders(tmp_path, exclude="lib")
    assert run("check", "app/train.py").exit_code == 0
