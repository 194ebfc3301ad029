"""Findings about the loaders of a file that was named, in files that were not."""

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


@pytest.fixture
def check(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(TRAIN)
    (tmp_path / "data.py").write_text(ROWS)

    def run(*paths):
        return CliRunner().invoke(app, ["check", "--no-cache", *paths])

    return run


def test_a_finding_in_another_file_is_mentioned(check):
    done = check("train.py")
    assert done.exit_code == 0
    assert done.stdout.splitlines()[1:] == [
        "1 finding about these loaders is in data.py, which is not among the given paths."
    ]


def test_a_file_that_sends_nothing_says_nothing_of_others(check, tmp_path):
    (tmp_path / "other.py").write_text("from torch.utils.data import DataLoader\n\nimport train\n")
    assert len(check("other.py").stdout.splitlines()) == 1


def test_a_finding_in_a_file_that_was_named_is_not_mentioned_twice(check):
    assert "about these loaders" not in check("train.py", "data.py").stdout
