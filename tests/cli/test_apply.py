import os
import re
import subprocess

import pytest
from typer.testing import CliRunner

from dlfix.cli import app
from tests.cli.test_check import write


def test_a_safe_fix_is_written_and_summed_up(dlfix):
    path = write(dlfix.folder, "a.py", "x = bad\n")
    result = dlfix("apply")
    assert result.exit_code == 0, result.output
    assert path.read_text() == "x = good\n"
    assert "Fixed (1)" in result.stdout
    assert "1 file rewritten" in result.stdout


def test_a_second_apply_changes_nothing(dlfix):
    path = write(dlfix.folder, "a.py", "x = bad\n")
    dlfix("apply")
    before = path.stat()
    assert dlfix("apply").exit_code == 0
    assert path.stat().st_mtime_ns == before.st_mtime_ns


def test_an_unsafe_fix_is_told_with_its_flag_and_not_taken(dlfix):
    path = write(dlfix.folder, "a.py", "x = worse\n")
    result = dlfix("apply")
    assert result.exit_code == 1
    assert path.read_text() == "x = worse\n"
    assert "--unsafe-fixes" in result.stdout
    assert "the name may matter" in result.stdout


def test_unsafe_fixes_are_taken_with_the_flag(dlfix):
    path = write(dlfix.folder, "a.py", "x = worse\n")
    assert dlfix("apply", "--unsafe-fixes").exit_code == 0
    assert path.read_text() == "x = better\n"


def test_the_configuration_may_take_unsafe_fixes_and_the_flag_may_not(dlfix):
    path = write(dlfix.folder, "a.py", "x = worse\n")
    write(dlfix.folder, "dlfix.toml", "unsafe-fixes = true\n")
    assert dlfix("apply", "--no-unsafe-fixes").exit_code == 1
    assert path.read_text() == "x = worse\n"
    assert dlfix("apply").exit_code == 0
    assert path.read_text() == "x = better\n"


def test_a_refusal_is_told_with_its_reason(dlfix):
    write(dlfix.folder, "a.py", "x = stuck\n")
    result = dlfix("apply")
    assert result.exit_code == 1
    assert "Refused (1)" in result.stdout
    assert "line 1 is stuck" in result.stdout


def test_what_needs_a_person_is_told(dlfix):
    write(dlfix.folder, "a.py", "x = alas\n")
    assert "No automatic fix (1)" in dlfix("apply").stdout


def test_exit_zero_holds_for_apply_too(dlfix):
    write(dlfix.folder, "a.py", "x = alas\n")
    assert dlfix("apply", "--exit-zero").exit_code == 0


@pytest.mark.parametrize("flag", ["--diff", "--dry-run"])
def test_a_dry_run_shows_the_patch_and_writes_nothing(dlfix, flag):
    path = write(dlfix.folder, "a.py", "x = bad\n")
    result = dlfix("apply", flag)
    assert result.exit_code == 1
    assert path.read_text() == "x = bad\n"
    assert result.stdout == "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = bad\n+x = good\n"
    assert "1 file would be rewritten" in result.stderr


def test_a_dry_run_that_would_change_nothing_exits_with_0(dlfix):
    write(dlfix.folder, "a.py", "x = alas\n")
    assert dlfix("apply", "--diff").exit_code == 0


@pytest.mark.parametrize(
    "data",
    [
        b"x = bad\ny = 2",
        b"x = 1\r\ny = bad\r\n",
        b"# -*- coding: latin-1 -*-\nx = bad  # caf\xe9\n",
        b"\xef\xbb\xbfx = bad\n",
        b"if 1:\n\tx = bad\n\x0c\ny = 1\n",
    ],
    ids=["no newline at the end", "CRLF", "latin-1", "BOM", "tabs and a form feed"],
)
def test_git_apply_takes_the_patch_and_gives_what_apply_writes(dlfix, data):
    path = write(dlfix.folder, "a b/c.py", data)
    patch = dlfix("apply", "--diff", "-q").stdout_bytes
    git = ["git", "-c", "core.autocrlf=false", "apply", "--whitespace=nowarn"]
    subprocess.run(git, cwd=dlfix.folder, input=patch, check=True)
    by_git = path.read_bytes()
    assert by_git == data.replace(b"bad", b"good")
    path.write_bytes(data)
    dlfix("apply")
    assert path.read_bytes() == by_git


def test_git_apply_takes_the_patch_in_a_subfolder_of_the_repository(dlfix, monkeypatch):
    path = write(dlfix.folder, "sub/a.py", "x = bad\n")
    subprocess.run(["git", "init", "-q"], cwd=dlfix.folder, check=True)
    monkeypatch.chdir(path.parent)
    patch = dlfix("apply", "--diff", "-q").stdout_bytes
    subprocess.run(["git", "apply"], input=patch, check=True)
    assert path.read_text() == "x = good\n"


def test_a_file_outside_the_working_directory_is_named_from_the_root(dlfix, monkeypatch):
    path = write(dlfix.folder, "a.py", "x = bad\n")
    here = write(dlfix.folder, "elsewhere/b.txt", "").parent
    monkeypatch.chdir(here)
    patch = dlfix("apply", "--diff", "-q", path).stdout
    assert patch.startswith(f"--- a{path}\n+++ b{path}\n")
    assert "//" not in patch


def test_side_by_side_shows_both_and_writes_nothing(dlfix, monkeypatch):
    monkeypatch.setenv("COLUMNS", "140")
    path = write(dlfix.folder, "a.py", "x = bad\n")
    result = dlfix("apply", "--side-by-side", "--color", "always")
    assert result.exit_code == 1
    assert path.read_text() == "x = bad\n"
    (row,) = [line for line in result.stdout.splitlines() if "bad" in line]
    assert "good" in row


def test_a_coloured_diff_goes_to_a_terminal(dlfix):
    write(dlfix.folder, "a.py", "x = bad\n")
    assert "\x1b[" in dlfix("apply", "--diff", "--color", "always").stdout


THREE = "x = bad\ny = bad\nz = bad\n"


@pytest.mark.parametrize(
    ("answers", "text"),
    [
        ("y\nn\ny\n", "x = good\ny = bad\nz = good\n"),
        ("n\na\n", "x = bad\ny = good\nz = good\n"),
        ("y\nq\n", "x = good\ny = bad\nz = bad\n"),
        ("d\n", THREE),
        ("?\nwhat\ny\nq\n", "x = good\ny = bad\nz = bad\n"),
        ("", THREE),
        ("y\nb\nn\ny\nq\n", "x = bad\ny = good\nz = bad\n"),
        ("n\nn\nb\nb\ny\nq\n", "x = good\ny = bad\nz = bad\n"),
        ("b\ny\nq\n", "x = good\ny = bad\nz = bad\n"),
    ],
    ids=[
        "yes and no",
        "all",
        "quit",
        "done with the file",
        "help",
        "nobody there",
        "back",
        "back twice",
        "back from the first",
    ],
)
def test_interactive_asks_for_each_fix(dlfix, answers, text):
    path = write(dlfix.folder, "a.py", THREE)
    result = dlfix("apply", "--interactive", input=answers)
    assert path.read_text() == text, result.output
    assert result.exit_code == 1


def test_interactive_counts_the_fixes(dlfix):
    write(dlfix.folder, "a.py", THREE)
    shown = dlfix("apply", "--interactive", input="y\nn\nq\n").stdout
    assert [f"Fix {number} of 3" in shown for number in (1, 2, 3)] == [True] * 3


def test_stopping_an_interactive_apply_writes_nothing_and_says_so(dlfix, monkeypatch):
    path = write(dlfix.folder, "a.py", THREE)
    answers = iter("yy")

    def answer(self, number, last):
        if (key := next(answers, None)) is None:
            raise KeyboardInterrupt
        return key

    monkeypatch.setattr("dlfix.interactive.Chooser._answer", answer)
    result = dlfix("apply", "--interactive")
    assert result.exit_code == 130
    assert "stopped: no file was changed (2 accepted fixes discarded)" in result.stderr
    assert path.read_text() == THREE


def test_interactive_shows_path_and_diff_and_says_what_was_written(dlfix):
    write(dlfix.folder, "a.py", "x = bad\n")
    result = dlfix("apply", "-i", input="?\ny\n")
    assert result.exit_code == 0
    for told in ("└─ bad", "-x = bad", "+x = good", "n - leave it", "1 file rewritten"):
        assert told in result.stdout


def test_stdin_is_rewritten_to_stdout(dlfix):
    result = dlfix("apply", "-", "--stdin-filename", "some.py", input="x = bad\r\n")
    assert result.exit_code == 0
    assert result.stdout_bytes == b"x = good\r\n"


def test_stdin_goes_through_as_it_came_where_it_does_not_parse(dlfix):
    result = dlfix("apply", "-", "-q", input="def f(:\n")
    assert result.exit_code == 2
    assert result.stdout == "def f(:\n"
    assert "does not parse" in result.stderr


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.py", b"# coding: hex\nx = bad\n"),
        ("a.py", b"# coding: utf-16\nx = bad\n"),
        ("a.py", b"# coding: nonsense\nx = bad\n"),
        ("a.py", b"x = bad  # caf\xe9\n"),
        ("a.py", b"x = bad\0\n"),
        ("a.ipynb", b'{"cells": [], "metadata": {"a": "\xe9"}}'),
        ("a.ipynb", b'{"cells": [], "metadata": null}'),
        ("a.ipynb", b"not json"),
    ],
)
def test_stdin_that_cannot_be_read_goes_through_as_it_came(dlfix, name, data):
    result = dlfix("apply", "-", "--stdin-filename", name, input=data)
    assert result.stdout_bytes == data
    assert "Traceback" not in result.stderr


def test_stdin_goes_through_as_it_came_where_the_configuration_is_wrong(dlfix):
    write(dlfix.folder, "dlfix.toml", "selct = []\n")
    result = dlfix("apply", "-", input="x = bad\n")
    assert result.exit_code == 2
    assert result.stdout == "x = bad\n"
    assert "selct" in result.stderr


def test_stdin_with_diff_gives_a_patch(dlfix):
    result = dlfix("apply", "-", "--diff", "--stdin-filename", "s.py", input="x = bad\n")
    assert result.exit_code == 1
    assert result.stdout.startswith("--- a/s.py\n+++ b/s.py\n")


def test_a_read_only_file_is_named_and_nothing_is_written(dlfix, monkeypatch):
    path = write(dlfix.folder, "a.py", "x = bad\n")
    other = write(dlfix.folder, "b.py", "x = bad\n")
    allowed = os.access  # root may write what is read-only
    monkeypatch.setattr("os.access", lambda p, mode: p != path and allowed(p, mode))
    result = dlfix("apply")
    assert result.exit_code == 2
    assert f"{path}: read-only" in result.stderr
    assert other.read_text() == "x = bad\n"
    assert "rewritten. Take" not in result.stdout


def test_a_broken_neighbour_does_not_keep_the_others_from_being_mended(dlfix):
    write(dlfix.folder, "a.py", "def f(:\n")
    path = write(dlfix.folder, "b.py", "x = bad\n")
    assert dlfix("apply", "--strict").exit_code == 2
    assert path.read_text() == "x = good\n"


def test_undo_puts_the_bytes_back(dlfix):
    data = b"\xef\xbb\xbfx = bad\r\n"
    path = write(dlfix.folder, "a.py", data)
    os.chmod(path, 0o755)
    dlfix("apply")
    result = dlfix("undo")
    assert result.exit_code == 0
    assert path.read_bytes() == data
    assert path.stat().st_mode & 0o777 == 0o755
    assert "Restored a.py" in result.stdout


def test_undo_leaves_a_file_that_was_edited_since_and_says_so(dlfix):
    path = write(dlfix.folder, "a.py", "x = bad\n")
    other = write(dlfix.folder, "b.py", "x = bad\n")
    dlfix("apply")
    path.write_text("x = mine\n")
    result = dlfix("undo")
    assert result.exit_code == 2
    assert "a.py: changed since the last apply; not restored" in result.stderr
    assert path.read_text() == "x = mine\n"
    assert other.read_text() == "x = bad\n"


def test_undo_does_not_go_on_to_an_older_apply_where_all_was_edited_since(dlfix):
    older = write(dlfix.folder, "a.py", "x = bad\n")
    dlfix("apply")
    path = write(dlfix.folder, "b.py", "x = bad\n")
    dlfix("apply")
    path.write_text("x = mine\n")
    result = dlfix("undo")
    assert result.exit_code == 2
    assert "(`dlfix undo --forget` removes that apply from the list)" in result.stderr
    assert older.read_text() == "x = good\n"
    assert dlfix("undo", "--forget").exit_code == 0
    assert dlfix("undo").exit_code == 0
    assert (older.read_text(), path.read_text()) == ("x = bad\n", "x = mine\n")


def test_undo_twice_says_that_there_is_nothing(dlfix):
    write(dlfix.folder, "a.py", "x = bad\n")
    dlfix("apply")
    assert dlfix("undo", "-q").output == ""
    result = dlfix("undo")
    assert result.exit_code == 2
    assert result.stderr == "dlfix: nothing to undo in this folder\n"


@pytest.fixture
def committed(dlfix):
    """Run dlfix in a git repository with one committed file, which was changed since."""
    path = write(dlfix.folder, "a.py", "x = 1\n")
    for command in (["init", "-q"], ["add", "a.py"]):
        subprocess.run(["git", *command], cwd=dlfix.folder, check=True)
    path.write_text("x = bad\n")
    return path


def test_a_file_with_uncommitted_changes_is_named_and_nothing_is_written(dlfix, committed):
    other = write(dlfix.folder, "b.py", "x = bad\n")
    result = dlfix("apply")
    assert result.exit_code == 2
    assert (
        "uncommitted changes (a.py); no file was changed (use --allow-dirty to override)"
        in result.stderr
    )
    assert (committed.read_text(), other.read_text()) == ("x = bad\n", "x = bad\n")


def test_allow_dirty_goes_on(dlfix, committed):
    result = dlfix("apply", "--allow-dirty")
    assert result.exit_code == 0
    assert committed.read_text() == "x = good\n"
    assert result.stderr == ""


def test_a_file_that_was_named_is_rewritten_and_its_uncommitted_changes_are_said(dlfix, committed):
    result = dlfix("apply", committed)
    assert result.exit_code == 0
    assert "uncommitted changes in a.py" in result.stderr
    assert committed.read_text() == "x = good\n"


def test_what_an_earlier_apply_wrote_is_no_change_of_the_users(dlfix, committed):
    committed.write_text("x = bad\ny = worse\n")
    subprocess.run(["git", "add", "."], cwd=dlfix.folder, check=True)
    dlfix("apply")
    assert dlfix("apply", "--unsafe-fixes").exit_code == 0
    assert committed.read_text() == "x = good\ny = better\n"


def test_a_diff_is_shown_whatever_git_says(dlfix, committed):
    assert "+x = good" in dlfix("apply", "--diff").stdout


def test_undo_lists_the_applies_the_newest_first(dlfix):
    write(dlfix.folder, "a.py", "x = bad\n")
    dlfix("apply")
    write(dlfix.folder, "b.py", "x = bad\n")
    dlfix("check", "--add-ignores")
    lines = dlfix("undo", "--list").stdout.splitlines()
    assert [line.split("  ")[-1] for line in lines] == [
        "check --add-ignores", "b.py", "apply", "a.py",
    ]  # fmt: skip


def test_undo_takes_back_the_comments_of_add_ignores(dlfix):
    path = write(dlfix.folder, "a.py", "x = bad\n")
    dlfix("check", "--add-ignores")
    assert path.read_text() != "x = bad\n"
    assert dlfix("undo").exit_code == 0
    assert path.read_text() == "x = bad\n"


@pytest.mark.parametrize("flag", ["--diff", "--dry-run"])
def test_undo_shows_what_it_would_put_back(dlfix, flag):
    path = write(dlfix.folder, "a.py", "x = bad\n")
    dlfix("apply")
    result = dlfix("undo", flag)
    assert result.exit_code == 1
    assert "-x = good\n+x = bad\n" in result.stdout
    assert path.read_text() == "x = good\n"


def test_undo_in_a_subfolder_leaves_the_rest_of_the_apply_unless_all_is_asked_for(
    dlfix, monkeypatch
):
    (dlfix.folder / ".git").mkdir()
    paths = [write(dlfix.folder, name, "x = bad\n") for name in ("a.py", "b.py", "sub/c.py")]
    dlfix("apply")
    monkeypatch.chdir(paths[2].parent)
    result = dlfix("undo")
    assert result.exit_code == 0
    assert "not restored outside this folder: 2 files; use --all to restore them" in result.stderr
    assert [path.read_text() for path in paths] == ["x = good\n", "x = good\n", "x = bad\n"]
    dlfix("undo", "--all")
    assert [path.read_text() for path in paths] == ["x = bad\n"] * 3


def test_two_ways_to_look_at_undo_exclude_each_other(dlfix):
    result = dlfix("undo", "--list", "--diff")
    assert result.exit_code == 2
    assert "--list, --diff and --forget cannot be used together" in result.stderr


def test_a_write_that_fails_halfway_says_what_was_written_and_what_was_not(dlfix, monkeypatch):
    for name in ("a.py", "b.py", "c.py"):
        write(dlfix.folder, name, "x = bad\n")
    replace = os.replace

    def busy(source, target, **where):
        if target == "b.py":
            raise OSError(16, "Device or resource busy")
        replace(source, target, **where)

    monkeypatch.setattr("os.replace", busy)
    result = dlfix("apply")
    assert result.exit_code == 2
    assert "b.py: Device or resource busy" in result.stderr
    assert (
        "the files listed before this error were rewritten; the files listed after it were not"
        in result.stderr
    )
    assert "Fixed (1)" in result.stdout
    assert "1 file rewritten. Undo with" in result.stdout


def test_a_write_that_fails_does_not_say_that_all_is_well(dlfix, monkeypatch):
    write(dlfix.folder, "a.py", "x = bad\n")
    allowed = os.access
    monkeypatch.setattr("os.access", lambda p, mode: mode != os.W_OK and allowed(p, mode))
    result = dlfix("apply")
    assert result.exit_code == 2
    assert result.stdout == ""


def test_undo_finds_the_journal_from_another_folder_of_the_project(dlfix, monkeypatch):
    (dlfix.folder / ".git").mkdir()
    path = write(dlfix.folder, "sub/a.py", "x = bad\n")
    monkeypatch.chdir(path.parent)
    dlfix("apply")
    monkeypatch.chdir(dlfix.folder)
    assert dlfix("undo").exit_code == 0
    assert path.read_text() == "x = bad\n"


def test_the_journal_is_nothing_for_git(dlfix):
    subprocess.run(["git", "init", "-q"], cwd=dlfix.folder, check=True)
    write(dlfix.folder, "a.py", "x = bad\n")
    dlfix("apply")
    status = subprocess.run(
        ["git", "status", "--short"], cwd=dlfix.folder, capture_output=True, text=True, check=True
    )
    assert status.stdout == "?? a.py\n"


def test_an_apply_killed_between_two_files_leaves_each_whole(dlfix, monkeypatch):
    import dlfix.source.writing as writing

    paths = [write(dlfix.folder, name, "x = bad\n") for name in ("a.py", "b.py")]
    replace = os.replace

    def once(source, target, **where):
        if target == "b.py":
            raise KeyboardInterrupt
        replace(source, target, **where)

    monkeypatch.setattr(writing.os, "replace", once)
    dlfix("apply")
    monkeypatch.undo()
    monkeypatch.chdir(dlfix.folder)
    assert [path.read_text() for path in paths] == ["x = good\n", "x = bad\n"]
    assert sorted(os.listdir(dlfix.folder)) == ["a.py", "b.py"]
    assert dlfix("undo").exit_code == 0
    assert [path.read_text() for path in paths] == ["x = bad\n", "x = bad\n"]


def test_a_piped_patch_stays_plain_though_ci_forces_colours(dlfix, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    write(dlfix.folder, "a.py", "x = bad\n")
    assert dlfix("apply", "--diff").stdout.startswith("--- a/a.py\n+++ b/a.py\n")


TWO = """
import zipfile

from torch.utils.data import DataLoader, Dataset


class Names(Dataset):
    def __init__(self, path):
        self.archive = zipfile.ZipFile(path)

    def __len__(self):
        return 1

    def __getitem__(self, index):
        return self.archive.read("a")


class Notes(Dataset):
    def __init__(self, path):
        self.file = open(path, "w")

    def __len__(self):
        return 1

    def __getitem__(self, index):
        self.file.write(str(index))
        return index


if __name__ == "__main__":
    for dataset in (Names("a.zip"), Notes("notes.txt")):
        list(DataLoader(dataset, num_workers=2))
"""


@pytest.mark.parametrize("options", [["--diff"], []])
def test_what_is_left_is_where_the_reader_finds_it(tmp_path, options):
    main = tmp_path / "main.py"
    main.write_text(TWO, encoding="utf-8")
    told = CliRunner().invoke(app, ["apply", *options, "--no-cache", str(main)]).output
    lines = main.read_text(encoding="utf-8").splitlines()
    row = lines.index('        self.file = open(path, "w")') + 1
    refused = told[told.index("Refused") :]
    assert re.search(rf"main\.py:{row}\n", refused)
