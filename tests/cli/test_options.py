"""What one command's options do that another's tests do not show."""

import json
import sys

import pytest
from typer.testing import CliRunner

from dlfix.cli import app
from tests.cli.test_check import write

BOTH = "x = bad\ny = worse\n"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("apply", "--select", "DLF2"), "x = bad\ny = better\n"),
        (("apply", "--ignore", "DLF101"), "x = bad\ny = better\n"),
        (("apply", "--select", "DLF2", "--extend-select", "DLF101"), "x = good\ny = better\n"),
        (("apply", "--extend-exclude", "a.py"), BOTH),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_apply_rewrites_what_it_is_told_to(dlfix, arguments, text):
    path = write(dlfix.folder, "a.py", BOTH)
    dlfix(*arguments, "--unsafe-fixes")
    assert path.read_text() == text


def test_apply_heeds_the_configuration_it_is_given_or_none(dlfix):
    path = write(dlfix.folder, "a.py", BOTH)
    write(dlfix.folder, "dlfix.toml", 'ignore = ["DLF101"]\n')
    other = write(dlfix.folder, "other.toml", "select = ['DLF9']\n")
    dlfix("apply", "--config", other)
    dlfix("apply")
    assert path.read_text() == BOTH
    dlfix("apply", "--isolated")
    assert path.read_text() == "x = good\ny = worse\n"


def test_trace_heeds_the_configuration_it_is_given_or_none(dlfix):
    write(dlfix.folder, "a.py", "load = 1\nx = bad\n")
    other = write(dlfix.folder, "other.toml", 'ignore = ["DLF101"]\n')
    assert "DLF101" in dlfix("trace").stdout
    assert "DLF101" not in dlfix("trace", "--config", other).stdout
    write(dlfix.folder, "dlfix.toml", 'ignore = ["DLF101"]\n')
    assert "DLF101" not in dlfix("trace").stdout
    assert "DLF101" in dlfix("trace", "--isolated").stdout


def test_trace_reads_stdin_under_the_name_it_is_given(dlfix):
    told = dlfix("trace", "-", "--stdin-filename", "some.py", input="load = 1\nx = bad\n").stdout
    assert "some.py:2" in told


def test_trace_says_nothing_of_nothing_where_it_is_to_be_quiet(dlfix):
    write(dlfix.folder, "a.py", "x = 1\n")
    assert dlfix("trace").stdout == "Nothing is sent to a worker process.\n"
    assert dlfix("trace", "--quiet").output == ""


def test_trace_and_rules_colour_only_when_asked(dlfix):
    write(dlfix.folder, "a.py", "load = 1\nx = bad\n")
    assert "\x1b[" in dlfix("trace", "--color", "always").stdout
    assert "\x1b[" not in dlfix("trace", "--color", "never").stdout
    assert "\x1b[" in dlfix("rules", "--color", "always").stdout
    assert "\x1b[" not in dlfix("rules", "--color", "never").stdout


def test_config_tells_of_the_configuration_it_is_given_or_none(dlfix):
    write(dlfix.folder, "dlfix.toml", 'ignore = ["DLF1"]\n')
    other = write(dlfix.folder, "other.toml", 'ignore = ["DLF2"]\n')
    assert f'ignore = ["DLF2"]  # {other}' in dlfix("config", "--config", other).stdout
    assert "ignore = []  # default" in dlfix("config", "--isolated").stdout


SPAWNS = """
import multiprocessing, sys

if __name__ == "__main__":
    work = {}
    multiprocessing.get_context("spawn").Process(target=work).start()
    open("went on", "w").close()
"""


def probe(*arguments):
    return CliRunner().invoke(app, ["probe", *map(str, arguments)])


def test_probe_runs_in_the_interpreter_it_is_given_and_tells_in_json(tmp_path):
    script = write(tmp_path, "main.py", SPAWNS.format("print"))
    result = probe(script, "--python", sys.executable, "--output-format", "json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["python"] == sys.executable
    missing = probe(script, "--python", tmp_path / "nowhere")
    assert missing.exit_code == 2
    assert str(tmp_path / "nowhere") in missing.stderr


def test_probe_goes_on_where_it_is_told_to(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    script = write(tmp_path, "main.py", SPAWNS.format("print"))
    assert probe(script).exit_code == 0
    assert not (tmp_path / "went on").exists()
    assert probe(script, "--continue").exit_code == 0
    assert (tmp_path / "went on").exists()


def test_probe_gives_a_program_the_time_it_is_told_to(tmp_path):
    script = write(tmp_path, "main.py", "import time\ntime.sleep(60)\n")
    result = probe(script, "--timeout", "0.5")
    assert result.exit_code == 2
    assert "0.5" in result.stderr


def test_probe_fetches_a_batch_under_each_start_method(tmp_path, monkeypatch):
    from dlfix.runtime import probe as probing

    rows = [probing.Fetched("none", True, "", "a"), probing.Fetched("spawn", False, "no", "")]
    monkeypatch.setattr(probing, "fetch", lambda target, args, **more: rows)
    result = probe("main.py", "--run", "--output-format", "json")
    assert result.exit_code == 1
    assert [row["ok"] for row in json.loads(result.stdout)] == [True, False]


def test_apply_proves_what_it_wrote(dlfix, monkeypatch):
    from dlfix.runtime import commands

    asked = []

    def prove(program, rewrite):
        asked.append(program)
        return rewrite()

    monkeypatch.setattr(commands, "prove", prove)
    path = write(dlfix.folder, "a.py", "x = bad\n")
    assert dlfix("apply", "--prove", "a.py --workers 2").exit_code == 0
    assert asked == ["a.py --workers 2"]
    assert path.read_text() == "x = good\n"
    assert dlfix("apply", "--prove", "a.py", "--diff").exit_code == 2
