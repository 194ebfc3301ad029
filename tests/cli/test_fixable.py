"""`fixable` and `unfixable`, and `--watch`."""

from __future__ import annotations

from dlfix.watching import again_on_change
from tests.cli.test_check import write


def test_what_is_unfixable_is_reported_and_stays(dlfix):
    path = write(dlfix.folder, "a.py", "x = bad\n")
    result = dlfix("apply", "--unfixable", "DLF101")
    assert result.exit_code == 1
    assert "the settings `fixable` and `unfixable` exclude DLF101" in result.stdout
    assert path.read_text() == "x = bad\n"


def test_what_is_not_fixable_is_reported_without_a_fix(dlfix):
    write(dlfix.folder, "a.py", "x = bad\n")
    assert "exclude DLF101" in dlfix("check", "--fixable", "DLF2").stdout
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


def test_a_change_makes_it_run_again_until_ctrl_c(tmp_path):
    path = write(tmp_path, "a.py", "x = 1\n")
    runs = []

    def wait(seconds):
        if len(runs) == 2:
            raise KeyboardInterrupt
        path.write_text("x = 12345\n")

    said = []
    run = lambda: runs.append(path.read_text()) or len(runs)  # noqa: E731
    assert again_on_change(lambda: [path], run, said.append, wait) == 2
    assert runs == ["x = 1\n", "x = 12345\n"]
    assert said[0] == "watching 1 file; Ctrl-C ends"
