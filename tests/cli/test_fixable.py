"""`fixable` and `unfixable`, and `--watch`."""

from __future__ import annotations

from functools import partial

import pytest
from typer.testing import CliRunner

from dlfix.cli import app
from dlfix.watching import again_on_change
from tests.cli.test_check import write


def test_what_is_unfixable_is_reported_and_stays(dlfix):
    path = write(dlfix.folder, "a.py", "x = bad\n")
    result = dlfix("apply", "--unfixable", "DLF101")
    assert result.exit_code == 1
    assert "DLF101 is excluded by the settings `fixable` and `unfixable`" in result.stdout
    assert path.read_text() == "x = bad\n"


def test_what_is_not_fixable_is_reported_without_a_fix(dlfix):
    write(dlfix.folder, "a.py", "x = bad\n")
    assert "DLF101 is excluded" in dlfix("check", "--fixable", "DLF2").stdout
    assert dlfix("apply", "--fixable", "DLF2").exit_code == 1


def test_the_longer_code_of_fixable_and_unfixable_wins(dlfix):
    path = write(dlfix.folder, "a.py", "x = bad\n")
    write(dlfix.folder, "dlfix.toml", 'fixable = ["DLF101"]\nunfixable = ["DLF1"]\n')
    dlfix("apply")
    assert path.read_text() == "x = good\n"


def test_an_unknown_code_in_unfixable_is_an_error(dlfix):
    assert "unknown rule `DLF9999`" in dlfix("check", "--unfixable", "DLF9999").stderr


def test_watching_does_not_go_with_what_ends_at_once(dlfix):
    result = dlfix("check", "--watch", "--show-files")
    assert result.exit_code == 2
    assert "--watch cannot be used with" in result.stderr


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.py", "x = 12345\n"),
        ("b.py", "y = 1\n"),
        ("dlfix.toml", 'ignore = ["DLF101"]\n'),
        ("dlfix.toml", "broken ="),
    ],
)
def test_a_change_makes_it_run_again_until_ctrl_c(dlfix, monkeypatch, name, text):
    write(dlfix.folder, "a.py", "x = bad\n")
    waits = []

    def wait(seconds):
        waits.append(seconds)
        if len(waits) == 2:
            raise KeyboardInterrupt
        write(dlfix.folder, name, text)

    monkeypatch.setattr("dlfix.watching.again_on_change", partial(again_on_change, wait=wait))
    result = dlfix("check", "--watch")
    assert result.stderr.count("; press Ctrl-C to stop") == 2
    assert "dlfix: watching 1 file; press Ctrl-C to stop" in result.stderr
    assert ("dlfix.toml" in result.stderr) == (text == "broken =")


def test_a_file_that_was_not_named_but_read_is_watched(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = write(tmp_path, "data.py", "class Rows:\n    pass\n")
    loader = "from torch.utils.data import DataLoader\nfrom data import Rows\n\n"
    write(tmp_path, "train.py", f"{loader}def f():\n    return DataLoader(Rows(), num_workers=2)\n")
    waits = []

    def wait(seconds):
        waits.append(seconds)
        if len(waits) == 2:
            raise KeyboardInterrupt
        rows.write_text("class Rows:\n    def __init__(self):\n        self.f = lambda x: x\n")

    monkeypatch.setattr("dlfix.watching.again_on_change", partial(again_on_change, wait=wait))
    result = CliRunner().invoke(app, ["check", "--watch", "train.py"])
    assert "--> data.py:3:18" in result.stdout
