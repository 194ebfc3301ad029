"""A folder of projects: each is checked by itself, and asked again only when something in it changed."""

import os
from pathlib import Path

import pytest

from dlfix import parts
from dlfix.session import Session
from tests.cli.test_check import write


@pytest.fixture
def asked(monkeypatch):
    """The projects that were worked out, by the name of their folder."""
    found = []
    work_out = parts._worked_out

    def noted(part, *, plain):
        found.append(Path(part.files[0]).relative_to(Path.cwd()).parts[0])
        return work_out(part, plain=plain)

    monkeypatch.setattr(parts, "FEW", 1)
    monkeypatch.setattr(parts, "_worked_out", noted)
    return found


@pytest.fixture
def two(dlfix, monkeypatch):
    """A folder with two projects, with a fix, a refusal, and a file that does not parse."""
    write(dlfix.folder, "one/a.py", "x = bad\ny = alas\n")
    write(dlfix.folder, "one/broken.py", "def f(:\n")
    write(dlfix.folder, "other/b.py", "x = stuck\n\n\ny = worse\n")
    monkeypatch.chdir(dlfix.folder)
    return dlfix


def told(result):
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.parametrize("form", ["text", "json", "junit"])  # in lines, as data, and with counts
def test_projects_apart_are_told_as_all_in_one(two, asked, monkeypatch, form):
    apart = told(two("check", "--output-format", form, "--no-cache"))
    monkeypatch.setattr(parts, "FEW", 1000)
    assert apart == told(two("check", "--output-format", form, "--no-cache"))
    assert asked == ["one", "other"]


@pytest.mark.parametrize("options", [["--diff"], ["--unsafe-fixes"]], ids=" ".join)
def test_each_project_is_rewritten_by_itself_and_told_as_all_in_one(two, monkeypatch, options):
    rewritten = []
    rewrite = Session.rewrite

    def noted(session, **given):
        rewritten.append(sorted(path.name for path in session.files))
        return rewrite(session, **given)

    monkeypatch.setattr(Session, "rewrite", noted)
    before = {path: path.read_bytes() for path in two.folder.rglob("*.py")}
    whole = told(two("apply", *options, "--no-cache"))
    written = {path: path.read_bytes() for path in before}
    for path, data in before.items():
        path.write_bytes(data)
    monkeypatch.setattr(parts, "FEW", 1)
    assert told(two("apply", *options, "--no-cache")) == whole
    assert {path: path.read_bytes() for path in before} == written
    assert rewritten == [["a.py", "b.py", "broken.py"], ["a.py", "broken.py"], ["b.py"]]


def test_only_the_project_that_changed_is_asked_again(two, asked):
    first = told(two("check"))
    write(two.folder, "other/b.py", "x = stuck\n\n\ny = worse\n\n\n\n\nz = 1\n")
    assert told(two("check")) == first
    assert asked == ["one", "other", "other"]
    write(two.folder, "one/new.py", "x = bad\n")
    assert "one/new.py" in two("check").stdout
    assert asked == ["one", "other", "other", "one"]


def test_a_run_that_took_answers_over_is_kept_as_a_whole(two, asked, monkeypatch):
    two("check")
    write(two.folder, "other/b.py", "x = bad\n")
    second = told(two("check"))
    with monkeypatch.context() as patch:
        patch.setattr(Session, "open", lambda *_: pytest.fail("it was read again"))
        assert told(two("check")) == second
    write(two.folder, "one/a.py", "x = 1\n")
    assert told(two("check")) != second


def test_a_configuration_in_a_project_counts_for_it(two, asked):
    assert "one/a.py" in two("check").stdout
    write(two.folder, "one/dlfix.toml", 'ignore = ["DLF"]\n')
    assert "one/a.py" not in two("check").stdout


def test_damaged_answers_are_worked_out_again(two, asked):
    first = told(two("check"))
    folder = os.path.join(os.environ["XDG_CACHE_HOME"], "dlfix", "results-1")
    for name in os.listdir(folder):
        path = Path(folder, name)
        path.write_bytes(path.read_bytes()[:-3] + b"???")
    assert told(two("check")) == first
    assert asked == ["one", "other"] * 2
