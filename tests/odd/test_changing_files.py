"""Files and folders that vanish or change while dlfix reads them."""

import os

import pytest

from tests.odd.conftest import PROGRAM


@pytest.fixture
def meanwhile(monkeypatch):
    """Let something happen to a file after it was found, right before it is opened."""

    def arrange(name, happens):
        opened = os.open

        def open_later(path, *arguments, **options):
            if os.path.basename(os.fspath(path)) == name and arguments[:1] == (
                os.O_RDONLY | READING,
            ):
                monkeypatch.setattr(os, "open", opened)
                happens(os.fspath(path))
            return opened(path, *arguments, **options)

        monkeypatch.setattr(os, "open", open_later)

    return arrange


READING = sum(getattr(os, flag, 0) for flag in ("O_BINARY", "O_CLOEXEC", "O_NOCTTY", "O_NONBLOCK"))


def overwrite(data):
    def change(path):
        with open(path, "wb") as file:
            file.write(data)

    return change


def become(make):
    def change(path):
        os.unlink(path)
        make(path)

    return change


GONE = {
    "removed": (os.unlink, "No such file or directory"),
    "a folder": (become(os.mkdir), "Is a directory"),
    "a pipe": (become(getattr(os, "mkfifo", None)), "not a regular file"),
    "a broken link": (become(lambda path: os.symlink("nowhere", path)), "No such file or directory"),
    "half a text": (overwrite(b"from torch.utils.data import DataLoader\ndef f(:\n"), "does not parse"),
    "another encoding": (overwrite(b"\xff\xfe\n"), "not utf-8"),
}  # fmt: skip
CHANGED = {
    "emptied": overwrite(b""),
    "shorter": overwrite(b"y = 2\n"),
    "longer": overwrite(b"y = 2\n" * 10_000),
}


@pytest.mark.skipif(os.name != "posix", reason="no pipes or such links there")
@pytest.mark.parametrize("kind", GONE)
def test_what_vanished_is_reported_and_the_others_are_read(beside, meanwhile, kind):
    change, reason = GONE[kind]
    beside.write("victim.py", PROGRAM)
    meanwhile("victim.py", change)
    result = beside.check()
    assert "victim.py:18" not in result.stdout
    (line,) = result.stderr.splitlines()
    assert reason in line
    assert result.exit_code == 2


@pytest.mark.parametrize("kind", CHANGED)
def test_what_changed_is_read_as_it_is_then(beside, meanwhile, kind):
    beside.write("victim.py", PROGRAM)
    meanwhile("victim.py", CHANGED[kind])
    result = beside.check()
    assert "victim.py" not in result.stdout
    assert result.stderr == ""


@pytest.mark.parametrize("kind", CHANGED)
def test_what_changed_while_it_was_read_is_no_kept_result(beside, meanwhile, kind):
    path = beside.write("victim.py", PROGRAM)
    meanwhile("victim.py", CHANGED[kind])
    beside.check()
    path.write_text(PROGRAM)
    assert "victim.py:18:65: DLF101" in beside.check().stdout


def test_a_folder_that_vanished_is_reported_and_the_others_are_read(beside, monkeypatch):
    beside.write("sub/a.py", "x = 1\n").unlink()
    scan = os.scandir

    def scan_later(path="."):
        if os.path.basename(os.fspath(path)) == "sub":
            os.rmdir(path)
        return scan(path)

    monkeypatch.setattr(os, "scandir", scan_later)
    result = beside.check()
    (line,) = result.stderr.splitlines()
    assert line.endswith("sub: No such file or directory")
    assert result.exit_code == 2


def test_a_line_of_five_megabytes_is_read(beside):
    beside.write("a.py", f"{PROGRAM}x = '{'a ' * 2_500_000}'\n")
    result = beside.check("a.py", "train.py")
    assert "a.py:18:65: DLF101" in result.stdout
    assert result.stderr == ""


def test_a_null_byte_is_reported_with_its_line(beside):
    beside.write("a.py", b"x = 1\n\0\n")
    result = beside.check()
    (line,) = result.stderr.splitlines()
    assert line.endswith("a.py:2: does not parse: it contains a null byte")
