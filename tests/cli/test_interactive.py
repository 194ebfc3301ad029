"""Answers of an interactive apply beyond yes and no."""

from __future__ import annotations

import shlex
import sys

import pytest

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


@pytest.fixture
def editor(dlfix, monkeypatch):
    """Return what sets $EDITOR to a command that changes its file by a Python expression of `text`."""

    def edits(expression):
        program = (
            "import sys, pathlib\n"
            "path = pathlib.Path(sys.argv[1])\n"
            "text = path.read_text()\n"
            f"path.write_text({expression})\n"
        )
        script = write(dlfix.folder, "editor.txt", program)
        monkeypatch.setenv("EDITOR", f"{shlex.quote(sys.executable)} {shlex.quote(str(script))}")

    monkeypatch.delenv("VISUAL", raising=False)
    return edits


def test_the_result_is_edited_before_it_is_applied(dlfix, editor):
    path = write(dlfix.folder, "a.py", "x = bad\ny = bad\n")
    editor("text.replace('x = good', 'x = better')")
    result = dlfix("apply", "-i", input="e\ny\n")
    assert path.read_text() == "x = better\ny = good\n"
    assert result.exit_code == 0


def test_an_edited_text_is_kept_when_one_goes_back_over_it(dlfix, editor):
    path = write(dlfix.folder, "a.py", "x = bad\ny = bad\nz = bad\n")
    editor("text.replace('x = good', 'x = better')")
    dlfix("apply", "-i", input="e\ny\nb\nn\nn\n")
    assert path.read_text() == "x = better\ny = bad\nz = bad\n"


@pytest.mark.parametrize(
    ("expression", "problem"),
    [("text + ')'", "does not compile"), ("text.replace('good', 'bad')", "would remain")],
)
def test_an_edited_text_that_does_not_fix_the_finding_is_not_accepted(
    dlfix, editor, expression, problem
):
    path = write(dlfix.folder, "a.py", "x = bad\n")
    editor(expression)
    result = dlfix("apply", "-i", input="e\ny\n")
    assert "The edited text was rejected" in result.stdout
    assert problem in result.stdout
    assert path.read_text() == "x = good\n"


def test_without_an_editor_the_question_is_asked_again(dlfix, monkeypatch):
    path = write(dlfix.folder, "a.py", "x = bad\n")
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)
    result = dlfix("apply", "-i", input="e\nn\n")
    assert "set $EDITOR" in result.stdout
    assert path.read_text() == "x = bad\n"
