"""Standard streams that are closed or full, little memory, no home: one line, and status 2 for what was not done."""

import os
import subprocess
import sys

import pytest

from tests.odd.conftest import PROGRAM

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
COMMANDS = ("check", "check --output-format json", "apply --diff", "trace", "rules", "config", "-V")


def shell(world, command, environment=()):
    """Run `dlfix ...` as a shell does, with its redirections."""
    done = subprocess.run(
        ["sh", "-c", f'dlfix() {{ "{sys.executable}" -m dlfix "$@"; }}; {command}'],
        cwd=world.folder, capture_output=True, text=True, timeout=120,
        env={**os.environ, "COLUMNS": "80", **dict(environment)},
    )  # fmt: skip
    assert "Traceback" not in done.stderr
    assert "internal error" not in done.stderr
    return done


@pytest.fixture
def train(world):
    world.write("train.py")
    return world


@pytest.mark.parametrize("command", COMMANDS)
def test_what_goes_to_a_closed_output_is_an_error(train, command):
    done = shell(train, f"dlfix {command} >&-")
    assert done.returncode == 2
    assert done.stderr.endswith("dlfix: Bad file descriptor\n")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("command", COMMANDS)
def test_the_status_is_that_of_an_error_though_nothing_can_be_said(train, command):
    assert shell(train, f"dlfix {command} >/dev/full 2>/dev/full").returncode == 2


def test_a_missing_path_is_an_error_though_stderr_is_full(train):
    assert shell(train, "dlfix check missing 2>/dev/full").returncode == 2


def test_a_filter_without_an_input_gives_back_no_empty_text(train):
    done = shell(train, "dlfix apply - --stdin-filename a.py <&-")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "dlfix: Bad file descriptor\n"


def test_findings_are_printed_where_stderr_is_closed(train):
    done = shell(train, "dlfix check --output-format concise 2>&-")
    assert done.returncode == 1
    assert "train.py:18:65: DLF101" in done.stdout


def test_what_is_rewritten_with_all_streams_closed_is_whole(train):
    shell(train, "dlfix apply <&- >&- 2>&-")
    text = (train.folder / "train.py").read_text()
    assert text != PROGRAM
    compile(text, "train.py", "exec")
    shell(train, "dlfix undo")
    assert (train.folder / "train.py").read_text() == PROGRAM


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (MemoryError(), "out of memory"),
        (RuntimeError("a\nb"), "internal error (RuntimeError: a b); please report it"),
    ],
)
def test_what_no_command_expects_is_one_line(error, said, world):
    program = f"import dlfix.start as s\ndef fail():\n    raise {error!r}\ns.main = fail\n"
    program += "from dlfix.__main__ import main\nmain()\n"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"dlfix: {said}\n")


@pytest.mark.parametrize("home", ["~", "~nobody/x", "/dev/null", "/nowhere"])
def test_a_home_that_is_none_ends_no_run(train, home, monkeypatch):
    for name in ("XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for command in ("check", "apply --diff"):
        assert shell(train, f"dlfix {command}", {"HOME": home}).returncode == 1
