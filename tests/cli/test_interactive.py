"""Answers of an interactive apply beyond yes and no."""

from __future__ import annotations

from tests.cli.test_check import write


def test_a_fix_is_left_and_its_finding_ignored_with_a_comment(dlfix):
    path = write(dlfix.folder, "a.py", "x = bad\ny = bad\n")
    result = dlfix("apply", "-i", input="i\ny\n")
    assert path.read_text() == "x = bad  # dlfix: ignore[DLF101]\ny = good\n"
    assert result.exit_code == 0
    assert dlfix("undo").exit_code == 0
    assert path.read_text() == "x = bad\ny = bad\n"


def test_a_comment_can_be_taken_back_by_going_back(dlfix):
    path = write(dlfix.folder, "a.py", "x = bad\ny = bad\n")
    dlfix("apply", "-i", input="i\nb\nn\ny\n")
    assert path.read_text() == "x = bad\ny = good\n"


def test_a_rule_is_skipped_in_all_files(dlfix):
    path = write(dlfix.folder, "a.py", "x = bad\ny = bad\n")
    other = write(dlfix.folder, "b.py", "z = bad\n")
    result = dlfix("apply", "-i", input="s\n")
    assert (path.read_text(), other.read_text()) == ("x = bad\ny = bad\n", "z = bad\n")
    assert "Fix 2" not in result.stdout


def test_the_question_names_the_finding(dlfix):
    write(dlfix.folder, "a.py", "x = bad\n")
    assert "Fix 1 of 1, DLF101 at a.py:1: apply it" in dlfix("apply", "-i", input="q\n").stdout


def test_who_said_no_to_an_unsafe_fix_is_not_pointed_to_the_option(dlfix):
    write(dlfix.folder, "a.py", "x = worse\n")
    result = dlfix("apply", "-i", "--unsafe-fixes", input="n\n")
    assert "--unsafe-fixes" not in result.stdout
