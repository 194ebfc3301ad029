import json
import os
import re
import subprocess
import sys

import pytest
import typer.main
from typer.testing import CliRunner

from dlfix import __version__
from dlfix.cli import app
from dlfix.editor.external import EDITORS
from tests.cli.test_check import write


def test_version_is_told(dlfix):
    assert dlfix("--version").stdout == f"dlfix {__version__}\n"


def test_completion_is_offered(dlfix):
    assert "--install-completion" in dlfix("--help").stdout


@pytest.mark.parametrize(
    ("words", "offered"),
    [("dlfix che", "check"), ("dlfix apply --side", "--side-by-side"), ("dlfix apply --color al", "always")],
)  # fmt: skip
def test_the_shell_is_told_how_a_word_goes_on(words, offered):
    done = subprocess.run(
        [sys.executable, "-c", "from dlfix.start import main; main()"],
        capture_output=True, text=True, check=True,
        env={
            **os.environ, "_DLFIX_COMPLETE": "complete_bash", "COMP_WORDS": words,
            "COMP_CWORD": str(len(words.split()) - 1),
        },
    )  # fmt: skip
    assert done.stdout.split() == [offered]


def test_commands_are_told_in_a_line_each(dlfix, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    told = dlfix("--help").stdout.partition("Commands:")[2]
    assert told.strip()
    assert "..." not in told


def test_python_m_dlfix_is_dlfix():
    done = subprocess.run(
        [sys.executable, "-m", "dlfix", "--version"], capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (0, f"dlfix {__version__}\n")


def test_help_fits_80_columns(dlfix, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    for command in typer.main.get_command(app).commands:
        lines = dlfix(command, "--help").stdout.splitlines()
        assert max(map(len, lines)) <= 80, command


COMMANDS = [*typer.main.get_command(app).commands, "rules test", "cache clear"]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_names_no_types_of_python(dlfix, command):
    told = dlfix(*command.split(), "--help").stdout
    assert not re.findall(r"<(?:str|path|int|float|list)\b|[{}]|\b(?:Path|str)\b", told)


def test_the_places_of_the_editors_stand_below_each_other(dlfix):
    lines = dlfix("ide").stdout.splitlines()
    gap = re.compile(r"\S+ +")
    assert len({gap.match(line).end() for line in lines}) == 1


def test_no_color_is_heeded(dlfix, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    write(dlfix.folder, "a.py", "x = bad\n")
    assert "\x1b[" in dlfix("check").stdout
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[3" not in dlfix("check").stdout


def test_the_editors_are_listed(dlfix):
    listed = [line.split()[0] for line in dlfix("ide").stdout.splitlines()]
    assert listed == list(EDITORS)


@pytest.mark.parametrize("editor", EDITORS)
def test_each_editor_has_a_definition_that_runs_dlfix(dlfix, editor):
    text = dlfix("ide", editor).stdout
    assert "dlfix" in text
    place = EDITORS[editor][0]
    if ".json" in place:
        json.loads(text)
    if ".xml" in place:
        import xml.etree.ElementTree as ET

        assert ET.fromstring(text).tag in ("toolSet", "project")


def test_vscodes_pattern_reads_what_concise_prints(dlfix):
    import re

    write(dlfix.folder, "a.py", "x = bad\n")
    task = json.loads(dlfix("ide", "vscode").stdout)["tasks"][0]
    line = dlfix("check", "--output-format", "concise", "--quiet").stdout.splitlines()[0]
    match = re.match(task["problemMatcher"]["pattern"]["regexp"], line)
    assert match is not None
    assert match.groups() == ("a.py", "1", "5", "DLF101", "`bad` reaches the workers")


@pytest.mark.parametrize("editor", sorted(set(EDITORS) - {"vim"}))
def test_a_definition_is_written_once(dlfix, editor):
    file = EDITORS[editor][0].split()[0]
    name = "here/" + file.rsplit("/", 1)[-1]
    for _ in range(2):
        assert dlfix("ide", editor, "--write", name).exit_code == 0
        assert (dlfix.folder / name).read_text() == EDITORS[editor][1]


def test_a_definition_is_added_to_the_tasks_that_are_there(dlfix):
    there = {
        "version": "1.9",
        "tasks": [{"label": "mine"}, {"label": "dlfix: check", "type": "own"}],
    }
    file = write(dlfix.folder, "tasks.json", json.dumps(there))
    assert dlfix("ide", "vscode", "--write", "tasks.json").exit_code == 0
    merged = json.loads(file.read_text())
    assert merged["version"] == "1.9"
    assert [task["label"] for task in merged["tasks"]] == [
        "mine",
        "dlfix: check",
        "dlfix: fix this file",
    ]
    assert merged["tasks"][1] == {"label": "dlfix: check", "type": "own"}


COMMENTED = """\
{
    // mine
    "version": "1.9", /* old */
    "tasks": [
        { "label": "mine", "args": ["a // b",], }, // kept
    ]
}
"""


def without_comments(text):
    from dlfix.editor import jsonc

    return jsonc.read(text).data


def test_comments_and_layout_of_a_json_file_stay(dlfix):
    file = write(dlfix.folder, "tasks.json", COMMENTED)
    assert dlfix("ide", "vscode", "--write", "tasks.json").exit_code == 0
    text = file.read_text()
    above, below = COMMENTED.split("    ]\n}\n")[0], "        }\n    ]\n}\n"
    assert text.startswith(above + '        {\n            "label": "dlfix: check",\n')
    assert text.endswith(below)
    labels = [task["label"] for task in without_comments(text)["tasks"]]
    assert labels == ["mine", "dlfix: check", "dlfix: fix this file"]


@pytest.mark.parametrize(
    "text",
    [
        "// nothing\n{}\n", '{"a": 1}', '{"a": 1,}', '{\n  "tasks": []\n}\n', '{"tasks": [\n]}',
        '{\n\t"a": {"tasks": "}"} // x\n}\n', '{"version": "2", "version": "3"}',
    ],
)  # fmt: skip
def test_a_definition_is_added_to_any_layout_and_once(dlfix, text):
    file = write(dlfix.folder, "tasks.json", text)
    assert dlfix("ide", "vscode", "--write", "tasks.json").exit_code == 0
    written = file.read_text()
    found, definition = without_comments(written), json.loads(EDITORS["vscode"][1])
    assert found["tasks"] == definition["tasks"]
    assert found.keys() == without_comments(text).keys() | {"version", "tasks"}
    again = dlfix("ide", "vscode", "--write", "tasks.json")
    assert "unchanged" in again.stderr
    assert file.read_text() == written


def test_the_line_endings_of_a_file_stay(dlfix):
    (dlfix.folder / "tasks.json").write_bytes(b'{\r\n  "a": 1\r\n}\r\n')
    assert dlfix("ide", "vscode", "--write", "tasks.json").exit_code == 0
    written = (dlfix.folder / "tasks.json").read_bytes()
    assert written.count(b"\n") == written.count(b"\r\n") > 9


def test_a_watcher_is_added_to_the_watchers_that_are_there(dlfix):
    import xml.etree.ElementTree as ET

    option = '<option name="name" value="black" />'
    own = (
        '<project version="4">\n  <component name="ProjectTasksOptions">\n'
        f'    <TaskOptions isEnabled="true">{option}</TaskOptions>\n  </component>\n</project>\n'
    )
    file = write(dlfix.folder, "watcherTasks.xml", own)
    for _ in range(2):
        assert dlfix("ide", "pycharm-watcher", "--write", "watcherTasks.xml").exit_code == 0
    names = ET.fromstring(file.read_text()).findall("./component/TaskOptions/option[@name='name']")
    assert [one.get("value") for one in names] == ["black", "dlfix"]


def test_a_hook_is_added_to_repositories_that_other_settings_follow(dlfix):
    own = "repos:\n  # one\n  - repo: a\n\n# settings\nci: {}\n"
    file = write(dlfix.folder, "a.yaml", own)
    assert dlfix("ide", "pre-commit", "--write", "a.yaml").exit_code == 0
    text = file.read_text()
    assert text.startswith("repos:\n  # one\n  - repo: a\n  - repo: local\n    hooks:\n")
    assert text.endswith("        pass_filenames: false\n\n# settings\nci: {}\n")


def test_a_definition_is_added_to_the_tools_that_are_there(dlfix):
    import xml.etree.ElementTree as ET

    own = '<toolSet name="dlfix">\n  <tool name="mine" />\n</toolSet>\n'
    file = write(dlfix.folder, "dlfix.xml", own)
    assert dlfix("ide", "pycharm", "--write", "dlfix.xml").exit_code == 0
    assert file.read_text().startswith(own.removesuffix("</toolSet>\n"))
    assert [one.get("name") for one in ET.fromstring(file.read_text())] == [
        "mine",
        "check",
        "apply",
    ]


def test_a_hook_is_added_to_the_repositories_that_are_there(dlfix):
    own = "repos:\n- repo: local\n  hooks:\n  - id: mine\n"
    file = write(dlfix.folder, ".pre-commit-config.yaml", own)
    assert dlfix("ide", "pre-commit", "--write", ".pre-commit-config.yaml").exit_code == 0
    assert file.read_text().startswith(own + "- repo: local\n  hooks:\n    - id: dlfix\n")


@pytest.mark.parametrize(
    ("editor", "name", "text"),
    [
        ("vscode", "tasks.json", "// mine\n{} {}\n"),
        ("vscode", "tasks.json", '{"a": 1 "b": 2}'),
        ("vscode", "tasks.json", "[" * 100_000),
        ("vscode", "tasks.json", '{"tasks": 3}'),
        ("pycharm", "dlfix.xml", "<application/>"),
        ("pycharm", "dlfix.xml", "<toolSet"),
        ("pycharm-watcher", "watcherTasks.xml", '<project version="4"></project>'),
        ("pre-commit", ".pre-commit-config.yaml", "repos: []\n"),
        ("vim", "dlfix.vim", "set number\n"),
        ("helix", "languages.toml", "[language-server.dlfix]\n"),
        ("helix", "languages.toml", '[[language]]\nname = "python"\n'),
    ],
)
def test_what_cannot_be_merged_stays_as_it_is(dlfix, editor, name, text):
    file = write(dlfix.folder, name, text)
    result = dlfix("ide", editor, "--write", name)
    assert result.exit_code == 2
    assert "exists" in result.stderr
    assert file.read_text() == text


def test_an_unknown_editor_is_one_line_with_the_nearest(dlfix):
    result = dlfix("ide", "vscod")
    assert (result.exit_code, result.stderr) == (
        2, "dlfix: no configuration for `vscod`; did you mean `vscode`?\n",
    )  # fmt: skip


def test_an_editor_without_a_configuration_gets_the_list(dlfix):
    result = dlfix("ide", "kakoune")
    assert result.exit_code == 2
    assert result.stderr == (
        f"dlfix: no configuration for `kakoune`; there is one for {', '.join(EDITORS)}\n"
    )


def test_a_prefix_of_codes_is_answered_with_the_codes(dlfix):
    result = dlfix("explain", "dlf10")
    assert result.exit_code == 2
    assert result.stderr == ("dlfix: unknown rule or file: `dlf10`; rules of this prefix: DLF101\n")


def test_settings_of_a_path_that_does_not_exist_are_an_error(dlfix):
    result = dlfix("config", "nope")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "dlfix: nope: no such file or directory\n"


@pytest.mark.parametrize("arguments", [("check", "--jobs"), ("probe", "a.py", "--timeout")])
def test_a_number_below_zero_is_a_usage_error_and_help_shows_no_range(dlfix, arguments):
    result = dlfix(*arguments, "-1")
    assert result.exit_code == 2
    assert "must not be negative" in result.stderr
    assert ">=" not in dlfix(arguments[0], "--help").stdout


def test_a_filter_says_what_it_fixed_and_nothing_of_files(dlfix):
    result = dlfix("apply", "-", input="load = 1\nx = bad\n")
    assert result.stdout == "load = 1\nx = good\n"
    assert result.stderr.startswith("Fixed (1)\n")
    assert "rewritten" not in result.stderr


def test_lsp_without_pygls_is_one_line(dlfix, monkeypatch):
    monkeypatch.setitem(sys.modules, "pygls.lsp.server", None)
    monkeypatch.setitem(sys.modules, "pygls", None)
    monkeypatch.delitem(sys.modules, "dlfix.editor.server", raising=False)
    monkeypatch.delattr("dlfix.editor.server", raising=False)
    result = dlfix("lsp")
    assert result.exit_code == 2
    assert result.stderr == "dlfix: the language server requires pygls: pip install 'dlfix[lsp]'\n"


@pytest.mark.parametrize("command", ["check", "apply", "trace"])
def test_what_was_not_followed_to_its_end_is_told(command, tmp_path, monkeypatch):
    from dlfix.reach import interpreter

    monkeypatch.chdir(tmp_path)
    write(
        tmp_path,
        "a.py",
        "from torch.utils.data import DataLoader\n"
        "def make(n):\n    return DataLoader([n], collate_fn=lambda b: b, num_workers=2)\n"
        "make(1 + 2 + 3)\n",
    )
    told = "dlfix: some objects are too large to be analyzed completely: those sent at a.py:"
    assert told not in CliRunner().invoke(app, [command]).stderr
    monkeypatch.setattr(interpreter, "BUDGET", 3)
    left_out = ["--no-cache"] if command != "trace" else []
    assert told in CliRunner().invoke(app, [command, *left_out]).stderr


def test_a_mistake_of_dlfixs_own_is_one_line(dlfix, monkeypatch):
    from dlfix import commands

    def broken(*args, **kwargs):
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr(commands, "check", broken)
    result = dlfix("check")
    assert result.exit_code == 2
    assert "internal error (ZeroDivisionError: by zero)" in result.stderr
    assert "Traceback" not in result.stderr


def test_clean_code_is_checked_without_libcst_and_torch(tmp_path):
    write(tmp_path, "a.py", "x = 1\n")
    script = (
        "import sys\nfrom dlfix.cli import app\n"
        "try:\n    app(['check', sys.argv[1]])\nexcept SystemExit as stop:\n    status = stop.code\n"
        "heavy = {'libcst', 'torch', 'pygls'} & set(sys.modules)\n"
        "sys.exit(f'{status} {heavy}' if status or heavy else 0)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)],
        capture_output=True,
        text=True,
        env={**os.environ},
    )
    assert done.returncode == 0, done.stderr


def test_a_fix_is_planned_without_what_only_the_runner_of_libcst_needs(tmp_path):
    write(
        tmp_path,
        "a.py",
        "from torch.utils.data import DataLoader\n"
        "def load(rows):\n    return DataLoader(rows, collate_fn=lambda x: x, num_workers=2)\n",
    )
    script = (
        "import sys\nfrom dlfix.cli import app\n"
        "try:\n    app(['check', sys.argv[1]])\nexcept SystemExit as stop:\n    status = stop.code\n"
        "needless = {'libcst.codemod', 'libcst.matchers'} & set(sys.modules)\n"
        "sys.exit(f'{status} {needless}' if status != 1 or needless or 'libcst' not in sys.modules else 0)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("flags", "terminal", "shown"),
    [((), True, True), (("--quiet",), True, False), ((), False, False)],
    ids=["a terminal", "quiet", "no terminal"],
)
def test_progress_is_for_those_who_look_at_a_terminal(dlfix, monkeypatch, flags, terminal, shown):
    from dlfix import commands

    made = []

    class Seen(commands.Progress):
        def __init__(self, console):
            made.append(console is not None)
            super().__init__(None)

    monkeypatch.setattr(commands, "Progress", Seen)
    if terminal:
        monkeypatch.setattr(commands, "_watched", lambda: True)
    write(dlfix.folder, "a.py", "x = 1\n")
    assert dlfix("check", *flags).exit_code == 0
    assert made == [shown]


@pytest.mark.parametrize(
    "command", ["check", "apply", "trace", "probe", "explain", "config", "ide"]
)
def test_help_names_no_python_type(dlfix, command):
    shown = dlfix(command, "--help").stdout
    assert not re.search(r"<[^>]*(?:list|Path|range|str)[^>]*>", shown), shown
    assert "[[" not in shown


def test_a_list_of_rules_in_a_pipe_has_a_line_for_each(dlfix):
    from dlfix.rules.registry import all_rules

    lines = dlfix("rules").stdout.splitlines()
    assert len(lines) == 1 + len(all_rules())
    assert all(line == line.rstrip() for line in lines)


@pytest.mark.parametrize("command", [["--help"], ["rules"], ["check", "--help"]])
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is full")
def test_a_full_device_is_one_line(command):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "dlfix", *command],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert (done.returncode, done.stderr) == (2, "dlfix: No space left on device\n")


def test_a_value_that_is_none_of_the_choices_is_one_plain_line(dlfix):
    result = dlfix("check", "--color", "x")
    assert result.exit_code == 2
    assert (
        "Invalid value for '--color': 'x' is not one of 'auto', 'always', 'never'." in result.stderr
    )


def test_a_value_of_another_type_is_one_plain_line(dlfix):
    result = dlfix("check", "--jobs", "x")
    assert result.exit_code == 2
    assert result.stderr.endswith("Invalid value for '--jobs' / '-j': not a valid integer\n")
