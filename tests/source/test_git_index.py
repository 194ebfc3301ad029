import os
import subprocess
import tracemalloc

import pytest

from dlfix.source import git_index
from dlfix.source.git_index import uncommitted
from dlfix.source.writing import Change


def git(folder, *arguments):
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments],
                   cwd=folder, env=environment, check=True, capture_output=True)  # fmt: skip


@pytest.fixture
def tree(tmp_path):
    git(tmp_path, "init", "-q")
    for name in ("a.py", "sub/a_longer_name.py", "sub/b.py", "é.py"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"x = {name!r}\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "all")
    return tmp_path


def dirty(tree):
    paths = sorted(tree.rglob("*.py"))
    return [path.relative_to(tree).as_posix() for path in uncommitted(
        Change(path, path.read_bytes(), b"") for path in paths
    )]  # fmt: skip


@pytest.mark.parametrize("version", ["2", "4"])
def test_a_file_that_was_changed_is_told_from_those_that_were_not(tree, version):
    git(tree, "update-index", "--index-version", version)
    assert dirty(tree) == []
    for name in ("sub/b.py", "é.py"):
        (tree / name).write_text("x = 2\n")
    assert dirty(tree) == ["sub/b.py", "é.py"]


def test_what_was_staged_is_safe_with_git(tree):
    (tree / "a.py").write_text("x = 2\n")
    git(tree, "add", "a.py")
    assert dirty(tree) == []


def test_a_file_that_git_does_not_know_is_not_told(tree):
    (tree / "new.py").write_text("x = 2\n")
    assert dirty(tree) == []


def test_line_ends_that_git_changes_are_no_change(tree):
    path = tree / "a.py"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert dirty(tree) == []


def test_a_linked_work_tree_has_an_index_of_its_own(tree, tmp_path_factory):
    other = tmp_path_factory.mktemp("linked") / "tree"
    git(tree, "worktree", "add", "-q", str(other))
    assert dirty(other) == []
    (other / "a.py").write_text("x = 2\n")
    assert dirty(other) == ["a.py"]


def test_outside_of_git_nothing_is_told(tmp_path):
    (tmp_path / "a.py").write_text("x = 1\n")
    assert dirty(tmp_path) == []


def test_no_program_that_the_checkout_names_is_run(tree):
    (tree / ".gitattributes").write_text("*.py filter=evil diff=evil\n")
    for key in ("core.fsmonitor", "filter.evil.clean", "diff.evil.textconv", "diff.external"):
        git(tree, "config", key, f"touch {tree / 'ran'}; cat")
    (tree / "a.py").write_text("x = 2\n")
    assert dirty(tree) == ["a.py"]
    assert not (tree / "ran").exists()


@pytest.mark.parametrize(
    "data", [b"", b"DIRC", b"DIRC\0\0\0\x02\0\0\0\x05", b"\0" * 500, b"DIRC\0\0\0\x09" * 9]
)
def test_a_damaged_index_tells_nothing(tree, data):
    (tree / ".git/index").write_bytes(data)
    (tree / "a.py").write_text("x = 2\n")
    assert dirty(tree) == []


def test_a_pipe_as_the_index_does_not_hang(tree):
    (tree / ".git/index").unlink()
    os.mkfifo(tree / ".git/index")
    assert dirty(tree) == []


def written(version, entries):
    return git_index.HEAD.pack(b"DIRC", version, len(entries)) + b"".join(entries)


@pytest.mark.parametrize("hostile", [
    # Each path is the one before and more: the paths would take the square of the file.
    written(4, [bytes(62) + b"\0" + b"x" * 500 + b"\0"] * 20_000),
    # A number of a million digits.
    written(4, [bytes(62) + b"\xff" * 1_000_000 + b"\0"]),
    b"DIRC" + b"\xff" * 50,
])  # fmt: skip
def test_a_hostile_index_takes_no_time_and_no_memory(tree, hostile):
    (tree / ".git" / "index").write_bytes(hostile)
    tracemalloc.start()
    try:
        assert dirty(tree) == []
        assert tracemalloc.get_traced_memory()[1] < 2 * len(hostile) + (4 << 20)
    finally:
        tracemalloc.stop()


@pytest.mark.skipif(os.name == "nt", reason="a file with a hole")
def test_an_index_beyond_all_measure_is_not_read(tree):
    os.truncate(tree / ".git" / "index", 1 << 40)
    assert dirty(tree) == []
