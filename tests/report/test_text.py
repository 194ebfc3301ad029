from pathlib import Path

import pytest

from dlfix.config import Settings
from dlfix.report import diff
from dlfix.report.text import Branch, branches, summary
from dlfix.report.view import Spot, View
from dlfix.session import Session
from tests.cli.test_check import write


def spot(label, row=1, note=""):
    return Spot(Path("/a/b.py"), None, row, 1, row, 2, label, note)


def rows():
    return [
        Branch("", spot("DataLoader(...)", 10)),
        Branch("├─ ", spot(".length", 20, "set from the argument `length`")),
        Branch("│  └─ ", spot("length", 30)),
        Branch("└─ ", spot("collate_fn  lambda", 40), marks="DLF101 lambda-reaches-worker"),
    ]


def test_a_tree_keeps_places_and_notes_in_columns():
    lines = branches(rows()).plain.splitlines()
    assert len(lines) == 4
    assert len({line.index("/a/b.py") for line in lines}) == 1
    assert lines[1].index("set from") == lines[3].index("DLF101")


def test_what_does_not_fit_the_width_goes_below_within_the_guides():
    lines = branches(rows(), 50).plain.splitlines()
    assert lines == [
        "  DataLoader(...)        /a/b.py:10",
        "  ├─ .length             /a/b.py:20",
        "  │  │   set from the argument `length`",
        "  │  └─ length           /a/b.py:30",
        "  └─ collate_fn  lambda  /a/b.py:40",
        "         DLF101 lambda-reaches-worker",
    ]


def test_a_long_line_beside_the_culprit_is_shortened_to_the_terminal(dlfix, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    write(dlfix.folder, "a.py", f"load = 1\n# {'long ' * 30}\nx = bad\n")
    assert "long long…\n" not in dlfix("check").stdout
    lines = dlfix("check", "--color", "always").stdout.splitlines()
    assert any(line.endswith("…\x1b[0m") for line in lines), lines


@pytest.mark.parametrize(
    ("told", "palette"),
    [("15;0", diff.DARK), ("0;15", diff.LIGHT), ("0;default;7", diff.LIGHT), ("", diff.DARK)],
)
def test_changed_lines_are_coloured_for_the_terminals_ground(monkeypatch, told, palette):
    monkeypatch.setenv("COLORFGBG", told)
    text = diff.unified("a.py", "x = bad\n", "x = good\n")
    grounds = {
        span.style.bgcolor.get_truecolor().hex
        for span in text.spans
        if not isinstance(span.style, str) and span.style.bgcolor
    }
    assert set(palette.grounds.values()) <= grounds


def test_a_band_is_as_wide_as_its_longest_line_but_no_wider_than_the_terminal():
    text = diff.unified("a.py", "x = 1\n", f"y = 1\nz = '{'z' * 90}'\n", width=80)
    assert {len(line) for line in text.plain.splitlines() if line[1:2] in "xy"} == {79}


def test_a_message_is_whole_where_there_is_no_terminal():
    from dlfix.report.text import wrapped

    message = "word " * 40
    assert "\n" not in wrapped(message, 7, None)
    assert max(map(len, wrapped(message, 0, 200).split("\n"))) <= 80
    assert max(map(len, wrapped(message, 0, 40).split("\n"))) <= 40


def test_a_refusal_names_the_file_of_its_line(tmp_path):
    text = (
        "from torch.utils.data import DataLoader\n\n\n"
        "def load(rows, scale):\n"
        "    loader = DataLoader(rows, collate_fn=lambda b: b * scale, num_workers=2)\n"
        "    scale = 2\n    return loader, scale\n"
    )
    (tmp_path / "main.py").write_text(text)
    session = Session.open([tmp_path], Settings())
    (entry,) = View(session, session.diagnoses()).entries
    assert "(main.py:" in (entry.refused or "")
    assert "(line" not in (entry.refused or "")


def test_a_rule_that_failed_leaves_no_word_of_success(tmp_path):
    write(tmp_path, "main.py", "x = 1\n")
    session = Session.open([tmp_path], Settings())
    view = View(session, session.diagnoses())
    assert summary(view, 1).plain.startswith("No problems found (1 file")
    session.bugs.append("internal error in DLF101 (KeyError: 1); please report it")
    assert summary(view, 1).plain.startswith("Not checked to the end (1 file")
