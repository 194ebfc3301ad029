"""`apply --prefer` chooses the form of a fix of a resource."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from dlfix.cli import app

ROWS = """\
import sqlite3

from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path):
        self.path = path
        self.rows = sqlite3.connect(path)

    def __getitem__(self, i):
        return self.rows.execute("select a from r where i = ?", (i,)).fetchone()[0]


def load(path):
    return DataLoader(Rows(path), num_workers=2)
"""


def applied(path: Path, *options: str) -> str:
    path.write_text(ROWS)
    run = CliRunner().invoke(app, ["apply", "--isolated", "--exit-zero", *options, str(path)])
    assert run.exit_code == 0, run.output
    return path.read_text()


def test_a_resource_is_opened_on_first_use_by_default(tmp_path):
    text = applied(tmp_path / "rows.py")
    assert "cached_property" in text
    assert text == applied(tmp_path / "rows.py", "--prefer", "lazy")


def test_state_leaves_the_constructor_as_it_is(tmp_path):
    path = tmp_path / "rows.py"
    path.write_text(ROWS)
    run = CliRunner().invoke(app, ["apply", "--isolated", "--prefer", "state", str(path)])
    text = path.read_text()
    assert run.exit_code == 0
    assert "self.rows = sqlite3.connect(path)" in text
    assert "def __setstate__" in text
    assert "cached_property" not in text


def test_another_form_is_one_clear_line(tmp_path):
    run = CliRunner().invoke(app, ["apply", "--prefer", "eager", str(tmp_path)])
    assert run.exit_code == 2


@pytest.mark.parametrize("form", ["lazy", "state"])
def test_the_result_has_no_finding(tmp_path, form):
    path = tmp_path / "rows.py"
    applied(path, "--prefer", form)
    assert CliRunner().invoke(app, ["check", "--isolated", str(path)]).exit_code == 0
