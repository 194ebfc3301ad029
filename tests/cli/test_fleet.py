"""`dlfix fleet`, without Ray."""

from __future__ import annotations

import pytest

from dlfix import fleet
from tests.cli.test_check import write


@pytest.fixture
def asked(monkeypatch):
    """Examine the repositories here, and note what was asked and what is written."""
    seen = []

    def run(repositories, *, address, unsafe, say):
        seen.append((address, unsafe))
        results = [fleet.examine(one, unsafe) for one in repositories]
        for one in results:
            say(one)
        return results

    monkeypatch.setattr(fleet, "run", run)
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
    assert asked == [("there", True), "out"]


def test_a_repository_that_cannot_be_checked_is_named_and_exits_with_2(dlfix, asked):
    manifest = write(dlfix.folder, "fleet.txt", "gone\n")
    result = dlfix("fleet", str(manifest))
    assert result.exit_code == 2
    assert result.stdout.endswith("gone is not a folder\n")
    assert asked == [(None, None), "fleet"]


def test_a_quiet_fleet_without_findings_says_nothing(dlfix, asked):
    write(dlfix.folder, "two/a.py", "x = 1\n")
    manifest = write(dlfix.folder, "fleet.txt", "two\n")
    result = dlfix("fleet", str(manifest), "--quiet", "--no-unsafe-fixes")
    assert (result.exit_code, result.stdout) == (0, "")


def test_a_manifest_that_is_not_there_is_one_line(dlfix):
    result = dlfix("fleet", "nowhere.txt")
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1


def test_without_ray_the_command_says_what_to_install(dlfix, monkeypatch):
    def run(*_, **__):
        raise ModuleNotFoundError("No module named 'ray'", name="ray")

    monkeypatch.setattr(fleet, "run", run)
    manifest = write(dlfix.folder, "fleet.txt", "two\n")
    assert "pip install 'dlfix[fleet]'" in dlfix("fleet", str(manifest)).stderr
