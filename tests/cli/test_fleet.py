"""`dlfix fleet`, without Ray."""

from __future__ import annotations

import pytest

from dlfix import fleet
from tests.cli.test_check import write


@pytest.fixture
def asked(monkeypatch):
    """Examine the repositories here, and note what was asked and what is written."""
    seen = []

    def run(repositories, address, unsafe, say, task):
        seen.append((address, unsafe))
        results = {one: fleet.examine(one, unsafe) for one in repositories}
        for one in results.values():
            say(one)
        return results

    monkeypatch.setattr(fleet, "_run", run)
    monkeypatch.setattr(fleet, "write", lambda results, folder: seen.append(folder.name))
    return seen


def test_a_fleet_with_findings_exits_with_1_and_has_a_line_each(dlfix, asked):
    write(dlfix.folder, "one/a.py", "x = bad\n")
    write(dlfix.folder, "two/a.py", "x = 1\n")
    manifest = write(dlfix.folder, "fleet.txt", "one\ntwo\n")
    result = dlfix(
        "fleet", str(manifest), "--output", "out", "--address", "there", "--unsafe-fixes"
    )
    assert result.exit_code == 1
    assert [line.split(":")[0] for line in result.stdout.splitlines()] == ["one", "two"]
    assert result.stderr == "dlfix: 1 finding in 1 of 2 repositories; the results are in out\n"
    assert asked == [("there", True), "out"]


def test_a_repository_that_cannot_be_checked_is_named_and_exits_with_2(dlfix, asked):
    manifest = write(dlfix.folder, "fleet.txt", "gone\n")
    result = dlfix("fleet", str(manifest))
    assert result.exit_code == 2
    assert result.stdout.endswith("gone is not a folder\n")
    assert "0 findings in 0 of 1 repository, 1 failed;" in result.stderr
    assert asked == [(None, None), "fleet"]


def test_a_quiet_fleet_without_findings_says_nothing(dlfix, asked):
    write(dlfix.folder, "two/a.py", "x = 1\n")
    manifest = write(dlfix.folder, "fleet.txt", "two\n")
    result = dlfix("fleet", str(manifest), "--quiet", "--no-unsafe-fixes")
    assert (result.exit_code, result.output) == (0, "")


def checked(result):
    lines = (line.partition(":") for line in result.stdout.splitlines())
    return [name for name, _, rest in lines if not rest.endswith("(reused from an earlier run)")]


def test_a_fleet_goes_on_where_it_was_stopped(dlfix, asked):
    for name in ("one", "two", "three"):
        write(dlfix.folder, f"{name}/a.py", "x = bad\n")
    whole = write(dlfix.folder, "fleet.txt", "one\ntwo\nthree\ngone\n")
    dlfix("fleet", str(write(dlfix.folder, "part.txt", "one\ntwo\n")))
    result = dlfix("fleet", str(whole))
    assert checked(result) == ["three", "gone"]
    assert (
        "2 of 4 results are reused from an earlier run (use `--fresh` to check all repositories)"
        in result.stderr
    )
    assert result.exit_code == 2
    assert checked(dlfix("fleet", str(whole))) == ["gone"]
    assert len(checked(dlfix("fleet", str(whole), "--fresh"))) == 4


def test_a_kept_result_is_the_result(dlfix, asked, monkeypatch):
    write(dlfix.folder, "one/a.py", "x = bad\ny = 'ä'\n")
    manifest = write(dlfix.folder, "fleet.txt", "one\n")
    written = []
    monkeypatch.setattr(fleet, "write", lambda results, folder: written.append(*results))
    statuses = [dlfix("fleet", str(manifest)).exit_code for _ in range(2)]
    first, second = written
    assert statuses == [1, 1]
    assert second.is_kept
    assert b"+++ b/a.py" in second.patch
    for field in ("repository", "status", "error", "files", "fixes", "findings", "sarif", "patch"):
        assert getattr(first, field) == getattr(second, field)


@pytest.mark.parametrize("change", ["file", "configuration", "option", "folder"])
def test_what_changed_is_checked_again(dlfix, asked, change):
    write(dlfix.folder, "one/a.py", "x = bad\n")
    manifest = write(dlfix.folder, "fleet.txt", "one\n")
    dlfix("fleet", str(manifest))
    more = []
    if change == "file":
        write(dlfix.folder, "one/a.py", "x = bad\ny = bad\n")
    elif change == "configuration":
        write(dlfix.folder, "one/dlfix.toml", 'ignore = ["DLF101"]\n')
    elif change == "option":
        more = ["--unsafe-fixes"]
    else:
        more = ["--output", "other"]
    assert checked(dlfix("fleet", str(manifest), *more)) == ["one"]


def test_a_manifest_that_is_not_there_is_one_line(dlfix):
    result = dlfix("fleet", "nowhere.txt")
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1


def test_without_ray_the_command_says_what_to_install(dlfix, monkeypatch):
    def run(*_, **__):
        raise ModuleNotFoundError("No module named 'ray'", name="ray")

    monkeypatch.setattr(fleet, "_run", run)
    manifest = write(dlfix.folder, "fleet.txt", "two\n")
    assert "pip install 'dlfix[fleet]'" in dlfix("fleet", str(manifest)).stderr
