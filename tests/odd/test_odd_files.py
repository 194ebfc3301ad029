"""One odd file among others: it is reported or passed over, and the others are read all the same."""

import json
import os
import socket
import sys

import pytest

from tests.odd.conftest import PROGRAM

unix = pytest.mark.skipif(sys.platform == "win32", reason="no pipes or such links there")


@pytest.mark.parametrize(
    "cookie", ["hex", "rot13", "base64", "punycode", "idna", "undefined", "zlib"]
)
def test_an_encoding_of_no_text_is_reported(beside, cookie):
    beside.write("bad.py", f"# coding: {cookie}\nx = 1\n")
    result = beside.check()
    assert result.exit_code == 2
    assert "bad.py:1: " in result.stderr
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize("line", ["!", "\\", "a\\", "[z-a]", "[", "/", "a[", "\0", "\xff"])
def test_a_line_of_gitignore_that_is_no_pattern_is_passed_over(beside, line):
    beside.write("left_out.py")
    beside.write(".gitignore", f"{line}\nleft_out.py\n")
    assert "left_out" not in beside.check().stdout


def test_a_pattern_of_the_configuration_that_is_none_is_refused_in_a_line(world):
    world.write("dlfix.toml", 'extend-exclude = ["[z-a]"]\n')
    result = world.run("check")
    assert result.exit_code == 2
    assert result.stderr.endswith("dlfix.toml: `extend-exclude`: invalid file pattern `[z-a]`\n")
    result = world.run("check", "--isolated", "--extend-exclude", "!")
    assert result.stderr == "dlfix: --extend-exclude: invalid file pattern `!`\n"


@unix
def test_links_in_a_circle_are_passed_over(beside):
    os.symlink("b.py", "a.py")
    os.symlink("a.py", "b.py")
    os.symlink(".", "same")
    beside.check()


@pytest.mark.parametrize(
    "metadata",
    [None, 3, [], {"language_info": None}, {"language_info": 3}, {"language_info": {"name": None}},
     {"kernelspec": None}, {"kernelspec": []}, {"kernelspec": {"language": 3}}],
)  # fmt: skip
def test_a_notebook_with_odd_metadata_is_read(world, metadata):
    cells = [{"cell_type": "code", "source": PROGRAM}]
    world.write("n.ipynb", json.dumps({"cells": cells, "metadata": metadata}))
    result = world.run("check", "--output-format", "concise")
    assert "n.ipynb:cell 1:18:65: DLF101" in result.stdout
    assert result.exit_code == 1


@pytest.mark.parametrize("source", ["null", "3", "[1]", "{}", "[[]]", "9" * 5000, "[" * 50_000])
def test_a_notebook_whose_source_is_no_text_is_reported(beside, source):
    text = '{"cells": [{"cell_type": "code", "source": SOURCE}], "metadata": {}}'
    beside.write("n.ipynb", text.replace("SOURCE", source))
    result = beside.check()
    assert result.exit_code == 2
    assert "n.ipynb" in result.stderr
    assert "not a notebook: " in result.stderr


@pytest.mark.parametrize("text", ["__dlfix_cell__(7)\n", "pass  # dlfix-magic 7\n"])
def test_a_notebook_with_marks_of_dlfix_own_is_reported(beside, text):
    beside.write("n.ipynb", json.dumps({"cells": [{"cell_type": "code", "source": text}]}))
    assert "contains a marker that is reserved by dlfix" in beside.check().stderr


@pytest.mark.parametrize(
    "text",
    [b"\xe9", b"tool = 3", b"tool = []", b"[tool]\ndlfix_not = 3", b"[tool.x]\na = " + b"9" * 5000,
     b"a = " + b"[" * 50_000, b"\0", b"\xef\xbb\xbf[tool.x]"],
    ids=["not UTF-8", "a number", "a list", "others", "a long number", "deep", "null", "BOM"],
)  # fmt: skip
def test_an_odd_pyproject_of_other_tools_is_passed_over(beside, text):
    beside.write("sub/pyproject.toml", text)
    beside.write("sub/a.py", "x = 1\n")
    assert beside.check().exit_code == 1


def test_an_odd_pyproject_with_a_table_of_dlfix_is_refused_in_a_line(world):
    world.write("pyproject.toml", "[tool.dlfix]\n[tool.x]\na = " + "9" * 5000)
    result = world.run("check")
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1
    assert "internal error" not in result.stderr


@unix
@pytest.mark.parametrize(
    "name",
    [".gitignore", "pyproject.toml", "dlfix.toml", "tox.ini", "setup.cfg", ".flake8", "ruff.toml",
     ".git/info/exclude", "a.py", "a.ipynb"],
)  # fmt: skip
def test_a_pipe_is_not_read(beside, name):
    os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
    os.mkfifo(name)
    beside.run("apply", "-q", "--unsafe-fixes")
    assert "cached_property" in (beside.folder / "train.py").read_text()


@unix
@pytest.mark.parametrize("name", [".gitignore", "dlfix.toml", "a.py"])
@pytest.mark.parametrize("kind", ["device", "socket", "folder"])
def test_only_regular_files_are_read(beside, name, kind):
    if kind == "device":
        os.symlink("/dev/zero", name)
    elif kind == "folder":
        os.mkdir(name)
    else:
        socket.socket(socket.AF_UNIX).bind(name)
    beside.check()


@unix
def test_a_file_name_that_is_no_utf_8_works_in_every_format(world):
    name = os.fsdecode(b"\xff\xfe.py")
    try:
        world.write(name)
    except OSError:
        pytest.skip("this file system has names in UTF-8 only")
    concise = world.run("check", "--output-format", "concise")
    assert "\\xff\\xfe.py:18:65: DLF101" in concise.stdout
    assert "internal error" not in concise.stderr
    for format in ("text", "json", "sarif", "github", "gitlab", "junit"):
        result = world.run("check", "--output-format", format, "--report", "page.html")
        assert result.exit_code == 1, format
        assert result.stdout.isascii() or "\ufffd" in result.stdout or "─" in result.stdout
    uri = json.loads(world.run("check", "--output-format", "sarif").stdout)["runs"][0]["results"][0]
    assert uri["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "%FF%FE.py"
    assert world.run("apply", "--diff", "-q").exit_code == 1
    assert world.run("trace").exit_code == 0


def test_an_import_that_is_no_name_of_a_file_leads_nowhere(world):
    long = "a" * 300
    world.write("a.py", f"import {long}\nfrom .. import x\nfrom . import *\n{PROGRAM}")
    assert "DLF101" in world.run("check", "--output-format", "concise").stdout


def test_folders_are_deeper_than_calls_can_be(world):
    inner = world.folder.joinpath(*["d"] * 700)
    try:
        inner.mkdir(parents=True)
    except OSError:
        pytest.skip("paths are not that long here")
    world.write("a.py", "x = 1\n")
    assert "No problems found (1 file, " in world.run("check").stdout


@unix
def test_no_permission_is_reported(beside):
    path = beside.write("secret.py", "x = 1\n")
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read everything")
    assert "secret.py: Permission denied" in beside.check().stderr


def test_a_file_that_is_too_large_is_reported(beside, monkeypatch):
    from dlfix.source import text

    monkeypatch.setattr(text.contents, "__defaults__", (1 << 20,))
    beside.write("large.py", "x = 1\n" * (1 << 18))
    assert "large.py: larger than 1 MB; skipped" in beside.check().stderr


@pytest.mark.parametrize(
    "text",
    [
        "import b\nfrom a import *\nclass A(b.B): pass\n",
        "\ufeff# coding: utf-8\nx = 1\n",
        "x = 1\r\ny = 2\rz = 3\n\x0cw = 4\n",
        "if 1:\n\tx = 1\n\ty = [1,\\\n2]\n",
        "'" + "x" * 1_000_000 + "'\n",
        "x = " + "[" * 150 + "]" * 150 + "\n",
        "",
        "#",
    ],
    ids=["cycle", "BOM", "newlines", "tabs", "long line", "brackets", "empty", "comment"],
)
def test_odd_text_that_parses_is_read(beside, text):
    beside.write("a.py", text)
    beside.write("b.py", "import a\nclass B(a.A): pass\n")
    result = beside.check()
    assert (result.exit_code, result.stderr) == (1, "")


DEEP = {
    "and": "x = " + "1 and " * 10_000 + "1\n",
    "or": "x = [a " + "or a " * 10_000 + "]\n",
    "plus": "x = " + "1+" * 900 + "1\n",
    "attributes": "x = a" + ".a" * 900 + "\n",
    "calls": "x = a" + "()" * 900 + "\n",
    "elif": "if a: pass\n" + "elif a: pass\n" * 900,
    "texts": "x = (" + "'a' " * 10_000 + ")\n",
    "comprehension": "x = [1 " + "for a in b " * 10_000 + "]\n",
    "dotted": "import a" + ".b" * 10_000 + "\n",
    "lambdas": "x = " + "lambda: " * 900 + "1\n",
}


@pytest.mark.parametrize("kind", DEEP)
def test_a_file_that_is_too_deep_for_libcst_is_checked_and_not_rewritten(world, kind):
    path = world.write("train.py", PROGRAM + DEEP[kind])
    checked = world.run("check", "--output-format", "concise")
    assert "train.py:18:65: DLF101" in checked.stdout
    assert (checked.exit_code, checked.stderr) == (1, "")
    applied = world.process("apply")
    assert applied.returncode == 1
    said = b" ".join(applied.stdout.split())
    assert b"is nested deeper than 300 levels" in said
    assert path.read_text() == PROGRAM + DEEP[kind]


def test_what_is_nested_less_deeply_is_rewritten(world):
    path = world.write("train.py", PROGRAM + "x = " + "1 and " * 200 + "1\n")
    world.process("apply")
    assert "cached_property" in path.read_text()


@pytest.mark.parametrize(
    "text", ["x = " + "-" * 10_000 + "1\n", "x = " + "(" * 10_000 + ")" * 10_000 + "\n"]
)
def test_what_is_too_deep_for_python_is_reported(beside, text):
    beside.write("deep.py", text + "DataLoader\n")
    result = beside.check("--strict")
    assert result.exit_code == 2
    assert "deep.py" in result.stderr
    assert "Traceback" not in result.stderr


def test_what_is_too_deep_to_be_evaluated_is_said(world):
    world.write("a.py", PROGRAM.replace("lambda batch: list(batch)", "main" + ".a" * 2000))
    result = world.process("check", "--strict")
    assert result.returncode in (1, 2)
    assert b"too large to be analyzed" in result.stderr or b"nested too deeply" in result.stderr


def test_several_statements_on_a_line_are_left_alone(world):
    text = PROGRAM.replace("path\n        self.db", "path; self.db")
    path = world.write("train.py", text)
    result = world.run("apply", "--select", "DLF201")
    assert "is on the same line as another statement" in " ".join(result.stdout.split())
    assert path.read_text() == text


def test_indentation_by_form_feeds_is_left_alone(world):
    path = world.write("train.py", "if 1:\n\f\tx = 1\n" + PROGRAM)
    result = world.run("apply", "--select", "DLF201")
    assert "the file is indented with characters other than spaces and tabs" in " ".join(
        result.stdout.split()
    )
    assert "internal error" not in result.stdout
    assert path.read_text() == "if 1:\n\f\tx = 1\n" + PROGRAM


# Filters


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.py", b"# coding: hex\n" + PROGRAM.encode()),
        ("a.ipynb", b'{"cells": [], "metadata": {"a": "\xe9"}}'),
        ("a.ipynb", b'{"cells": [], "metadata": null}'),
        ("a.ipynb", b"[" * 50_000),
        ("a.py", (PROGRAM + DEEP["and"]).encode()),
        ("a.py", b"x = 1\0\n"),
        ("a.py", b"def f(:\n"),
        ("a.py", b"# coding: unicode_escape\n" + PROGRAM.encode()),
    ],
)
def test_a_filter_gives_back_what_it_cannot_rewrite(world, name, data):
    done = world.process("apply", "-", "--stdin-filename", name, input=data)
    assert done.stdout == data
    assert b"Traceback" not in done.stderr


# The output


@unix
@pytest.mark.parametrize("format", ["text", "json"])
def test_an_output_that_is_full_is_said_in_a_line(beside, format):
    if not os.path.exists("/dev/full"):
        pytest.skip("no such device")
    with open("/dev/full", "w") as full:
        done = beside.process("check", "--output-format", format, stdout=full)
    assert done.returncode == 2
    assert done.stderr == b"dlfix: No space left on device\n"


@unix
def test_a_working_directory_that_is_gone_is_said_in_a_line(world):
    gone = world.folder / "gone"
    gone.mkdir()
    script = f"cd {gone} && rmdir {gone} && exec {sys.executable} -P -m dlfix check"
    import subprocess

    if sys.version_info < (3, 11):
        script = script.replace(" -P", "")
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.endswith("dlfix: the working directory does not exist\n")


# Suppressions


def test_a_suppression_of_its_own_idleness_is_no_finding(world):
    world.write("train.py", PROGRAM.replace("# opened eagerly", "# dlfix: ignore[DLF101]"))
    world.run("check", "--add-ignores")
    assert world.run("check", "--output-format", "concise").exit_code == 0


def test_idle_suppressions_are_read_once_however_many(world, monkeypatch):
    from dlfix import suppression

    world.write(
        "a.py", "".join(f"x{i} = 1  # dlfix: ignore[DLF101]\n" for i in range(300)) + "# DLF\n"
    )
    counted = []
    tokens = suppression._tokens
    monkeypatch.setattr(suppression, "_tokens", lambda text: counted.append(1) or tokens(text))
    world.run("check", "--add-ignores")
    assert len(counted) < 10


@pytest.mark.skipif(not os.path.exists("/proc/self/maps"), reason="counts the maps of Linux")
def test_a_file_that_was_read_leaves_no_memory_map(tmp_path):
    from dlfix.source.text import contents

    def maps():
        with open("/proc/self/maps") as file:
            return len(file.readlines())

    for number in range(200):
        (tmp_path / f"{number}.py").write_text(f"x = {number}\n")
    before = maps()
    kept = [contents(tmp_path / f"{number}.py") for number in range(200)]
    assert kept[7] == b"x = 7\n"
    assert maps() < before + 50
