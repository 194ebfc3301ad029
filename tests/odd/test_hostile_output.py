"""Names and source of other people's in what dlfix prints."""

import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest

from dlfix.source.printable import patch_name, visible, visible_code
from tests.odd.conftest import PROGRAM

FORMATS = ("text", "concise", "json", "sarif", "github", "gitlab", "junit")
BROKEN = "from torch.utils.data import DataLoader\n)(\n"
HOSTILE = ("a\x1b]0;T\x07\n::error::IN.py", "]]>&<script>.py", "::warning::x.py", "\u202egnp.py")
COMMAND = re.compile(r"^\s*::|##\[", re.MULTILINE)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no such names there")


@pytest.fixture
def hostile(world):
    for name in HOSTILE:
        world.write(name, PROGRAM.replace("# opened eagerly", "##[error]\x1b]0;T\x07\x9b31m\u202e"))
        world.write(f"broken {name}", BROKEN)
    return world


def is_safe(text):
    return not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", text)


@pytest.mark.parametrize("format", FORMATS)
def test_no_control_character_and_no_command_gets_through(hostile, format):
    result = hostile.run("check", "--output-format", format)
    assert result.exit_code == 2
    assert is_safe(result.stdout)
    assert is_safe(result.stderr)
    assert not COMMAND.search(result.stderr)
    if format != "github":
        assert not COMMAND.search(result.stdout)


def test_trees_and_summaries_are_safe(hostile):
    for command in (["trace"], ["apply", "-q", "--diff", "--color", "never"], ["apply"]):
        result = hostile.run(*command)
        said = result.stderr if "--diff" in command else result.stdout + result.stderr
        assert is_safe(said), command
        assert not COMMAND.search(said), command


def obeyed(text):
    """Return the lines that GitHub's runner takes for commands."""
    lines = []
    token = None
    for line in text.splitlines():
        if token is None and line.startswith("::stop-commands::"):
            token = line.removeprefix("::stop-commands::")
        elif token is not None and line == f"::{token}::":
            token = None
        elif token is None and COMMAND.search(line):
            lines.append(line)
    assert token is None, "commands are not resumed"
    return lines


SAID = 'USAGE = """\n::error::IN ##[error]IN"""\n'


@pytest.mark.parametrize("color", ["auto", "always"])
@pytest.mark.parametrize("undoing", [False, True])
def test_a_runner_takes_no_line_of_a_diff_for_a_command(world, monkeypatch, color, undoing):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    path = world.write("train.py", SAID + PROGRAM)
    command = ["apply", "-q", "--diff", "--color", color]
    if undoing:
        path.write_text(PROGRAM.replace("import sqlite3\n", f"import sqlite3\n{SAID}"))
        assert world.run("apply", "-q").exit_code == 0
        command = ["undo", "--diff"]
    shown = world.run(*command).stdout
    assert "::error::IN" in shown
    assert obeyed(shown) == []
    assert obeyed(shown.replace("::stop-commands::", "")) != []


def test_a_patch_with_stopped_commands_can_be_applied(world, monkeypatch):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    path = world.write("train.py", SAID + PROGRAM)
    patch = world.write("the.patch", world.run("apply", "-q", "--diff").stdout)
    assert patch.read_text().startswith("::stop-commands::")
    subprocess.run(["git", "apply", "--unsafe-paths", patch.name], cwd=world.folder, check=True)
    assert "cached_property" in path.read_text()


def test_a_patch_is_as_it_was_where_nothing_in_it_is_a_command(world, monkeypatch):
    world.write("train.py")
    outside = world.run("apply", "-q", "--diff").stdout
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    assert world.run("apply", "-q", "--diff").stdout == outside


def test_colours_are_dlfix_own(hostile):
    shown = hostile.run("check", "--color", "always").stdout
    assert "\x1b[" in shown
    assert is_safe(re.sub(r"\x1b\[[\d;]*m", "", shown))
    diff = hostile.run("apply", "--diff", "-q", "--color", "always").stdout
    assert is_safe(re.sub(r"\x1b\[[\d;]*m", "", diff))


@pytest.mark.parametrize("format", ["json", "sarif", "gitlab"])
def test_json_parses_and_holds_no_lone_surrogate(hostile, format):
    text = hostile.run("check", "--output-format", format).stdout
    assert not re.search(r"\\ud[89a-f]\w\w(?!\\ud[c-f])", text)
    assert json.loads(text)


def test_xml_parses(hostile):
    root = ET.fromstring(hostile.run("check", "--output-format", "junit").stdout)
    assert any("]]>&<script>.py" in suite.get("name") for suite in root)


def test_a_command_of_github_names_the_file_as_it_is(hostile):
    lines = hostile.run("check", "--output-format", "github").stdout.splitlines()
    assert all(line.startswith("::error title=dlfix (DLF") for line in lines)
    assert any("file=a\\x1b]0;T\\x07%0A" in line for line in lines)
    assert any("]]>&<script>.py,line=18" in line for line in lines)


def test_a_page_holds_no_markup_of_others(hostile):
    hostile.run("check", "--report", "page.html")
    page = (hostile.folder / "page.html").read_text()
    assert "<script>.py" not in page
    assert is_safe(page)


def test_messages_are_shown_as_they_are_but_for_what_acts():
    assert visible("a\tb\n\x1b[31m\x9b\udcff\ud800\u202e é 日本") == (
        "a\\tb\\n\\x1b[31m\\x9b\\xff\\ud800\\u202e é 日本"
    )
    assert visible("::error::x ::y a[::2]") == "\\x3a:error::x \\x3a:y a[::2]"
    assert visible(visible("\x1b ::x")) == visible("\x1b ::x")
    assert visible_code("\tx = 1\f  ##[group]") == "    x = 1\\x0c  #\\x23[group]"


def test_a_name_in_a_patch_is_quoted_as_git_does():
    assert patch_name("a", "x y.py") == b"a/x y.py"
    assert patch_name("b", 'n\n"\udcff.py') == b'"b/n\\012\\042\\377.py"'
