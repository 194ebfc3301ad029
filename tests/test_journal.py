"""The journal of applies, and undo: where it is kept, what it trusts, and what it puts back."""

import base64
import hashlib
import json
import os
import stat
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from dlfix import journal, undo
from dlfix.source.text import SourceError
from dlfix.source.writing import Change

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A project with three files, and the working directory in it."""
    folder = tmp_path / "project"
    (folder / "sub").mkdir(parents=True)
    (folder / ".git").mkdir()
    for name in ("a.py", "b.py", "sub/c.py"):
        (folder / name).write_bytes(b"old")
    monkeypatch.chdir(folder)
    return folder


def apply(tree, *names, before=b"old", after=b"new", say=lambda note: None):
    changes = [Change(tree / name, before, after) for name in names or ("a.py", "b.py", "sub/c.py")]
    return undo.record(changes, [], say)


def texts(tree):
    return [(tree / name).read_bytes() for name in ("a.py", "b.py", "sub/c.py")]


def state():
    home = Path(os.environ["XDG_STATE_HOME"])
    if home.is_absolute():
        home.mkdir(parents=True, exist_ok=True)
    return home / "dlfix"


def entries():
    return sorted(path for path in state().rglob("*") if path.suffix in (".json", ".open", ".part"))


# Where it is kept


def test_nothing_is_written_into_the_project(tree):
    apply(tree)
    assert sorted(os.listdir(tree)) == [".git", "a.py", "b.py", "sub"]


def test_only_this_user_can_read_the_journal(tree):
    os.umask(os.umask(0o022))
    apply(tree)
    for path in [state(), *state().rglob("*")]:
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


@pytest.mark.parametrize(
    ("platform", "name", "where"),
    [
        ("linux", "posix", ".local/state/dlfix"),
        ("darwin", "posix", "Library/Application Support/dlfix"),
    ],
)
def test_each_platform_has_its_place(monkeypatch, tmp_path, platform, name, where):
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr("sys.platform", platform)
    assert journal.state_folder() == tmp_path / where


def test_a_relative_state_directory_is_not_used(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_STATE_HOME", "state")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert journal.state_folder().is_relative_to(tmp_path)


def test_a_journal_in_the_checkout_is_not_read(tree, tmp_path):
    victim = tmp_path / "victim"
    victim.write_bytes(b"skeleton")
    (tree / ".dlfix").mkdir()
    row = {
        "path": str(victim),
        "before": base64.b85encode(b"evil").decode(),
        "after": hashlib.sha256(b"skeleton").hexdigest(),
    }
    (tree / ".dlfix/last-apply.json").write_text(json.dumps({"version": 1, "files": [row]}))
    with pytest.raises(undo.NothingToUndo, match="nothing to undo in this folder"):
        undo.undo(tree / "sub")
    assert victim.read_bytes() == b"skeleton"


def test_links_and_pipes_named_as_the_old_journal_are_not_touched(tree, tmp_path):
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    (tree / ".dlfix").mkdir()
    (tree / ".dlfix/.gitignore").symlink_to(victim)
    (tree / ".dlfix/last-apply.new").symlink_to(victim)
    os.mkfifo(tree / ".dlfix/last-apply.json")
    assert apply(tree).undoable
    assert victim.read_bytes() == b"precious"


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="needs root")
def test_a_state_directory_of_another_user_is_not_used(tree):
    state().mkdir()
    os.chown(state(), 1234, 1234)
    said = []
    written = apply(tree, say=said.append)
    assert texts(tree) == [b"new"] * 3
    assert not written.undoable
    assert said == [
        f"{state()}: the folder belongs to another user; `dlfix undo` cannot undo this apply"
    ]
    with pytest.raises(undo.NothingToUndo):
        undo.undo(tree)


def test_a_state_directory_that_others_may_write_to_is_not_used(tree):
    apply(tree)
    state().chmod(0o770)
    with pytest.raises(undo.NothingToUndo, match="the folder is writable by other users"):
        undo.undo(tree)
    assert texts(tree) == [b"new"] * 3


def test_a_link_in_the_place_of_the_state_directory_is_not_followed(tree, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    state().symlink_to(tmp_path / "elsewhere")
    said = []
    assert not apply(tree, say=said.append).undoable
    assert os.listdir(tmp_path / "elsewhere") == []
    assert "`dlfix undo` cannot undo this apply" in said[0]


def test_without_a_place_for_the_journal_files_are_written_and_it_is_said(tree, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", "/dev/null")
    said = []
    written = apply(tree, say=said.append)
    assert texts(tree) == [b"new"] * 3
    assert not written.undoable
    assert len(said) == 1


# What an entry may name


@pytest.mark.parametrize(
    "path",
    ["/etc/passwd", "../outside", "sub/../../outside", "", ".", "sub//c.py", "./a.py", "a\0.py"],
)
def test_a_path_that_is_not_below_the_tree_is_refused(path):
    with pytest.raises(ValueError, match="the path is outside the project"):
        journal.inside(path)


def edit_entry(change):
    (entry,) = entries()
    data = json.loads(entry.read_text())
    change(data)
    entry.write_text(json.dumps(data))


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data["files"][0].update(path="../victim"),
        lambda data: data["files"][0].update(after_hash=3),
        lambda data: data["files"][0].update(before="!"),
        lambda data: data["files"][0].update(
            before=base64.b85encode(zlib.compress(b"another text")).decode()
        ),
        lambda data: data.update(files=[3]),
        lambda data: data.update(files=None),
        lambda data: data.update(version=1),
        lambda data: data.update(tree="/"),
        lambda data: data.update(token="../../x"),
    ],
)
def test_a_damaged_entry_is_named_and_nothing_is_put_back(tree, change):
    apply(tree)
    edit_entry(change)
    with pytest.raises(undo.NothingToUndo, match="is damaged"):
        undo.undo(tree)
    assert texts(tree) == [b"new"] * 3


def test_a_link_in_the_place_of_a_file_is_not_followed(tree, tmp_path):
    apply(tree, "a.py")
    victim = tmp_path / "victim"
    victim.write_bytes(b"new")
    (tree / "a.py").unlink()
    (tree / "a.py").symlink_to(victim)
    with pytest.raises(undo.NothingToUndo, match="changed since the last apply, not restored"):
        undo.undo(tree)
    assert victim.read_bytes() == b"new"


def test_a_link_in_the_place_of_a_folder_is_not_followed(tree, tmp_path):
    apply(tree, "sub/c.py")
    (tree / "sub").rename(tmp_path / "elsewhere")
    (tree / "sub").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(undo.NothingToUndo, match="changed since the last apply, not restored"):
        undo.undo(tree)
    assert (tmp_path / "elsewhere/c.py").read_bytes() == b"new"


def test_a_file_outside_the_project_is_written_only_if_it_was_named(tree, tmp_path):
    outside = tmp_path / "outside.py"
    outside.write_bytes(b"old")
    (tree / "link.py").symlink_to(outside)
    change = [Change(tree / "link.py", b"old", b"new")]
    written = undo.record(change, [tree / "link.py"], print)
    assert isinstance(written.error, SourceError)
    assert outside.read_bytes() == b"old"
    assert undo.record([Change(outside, b"old", b"new")], [outside], print).error is None
    undo.undo(tmp_path)
    assert outside.read_bytes() == b"old"


def test_a_folder_that_was_named_through_a_link_is_written(tmp_path, monkeypatch):
    (tmp_path / "real").mkdir()
    (tmp_path / "real/a.py").write_bytes(b"old")
    (tmp_path / "home").mkdir()
    (tmp_path / "home/link").symlink_to(tmp_path / "real")
    monkeypatch.chdir(tmp_path / "home")
    changes = [Change(tmp_path / "home/link/a.py", b"old", b"new")]
    assert undo.record(changes, [Path("link")], print).error is None
    assert (tmp_path / "real/a.py").read_bytes() == b"new"


# Several applies


def test_each_undo_takes_back_one_apply(tree):
    apply(tree)
    apply(tree, "a.py", before=b"new", after=b"newer")
    undo.undo(tree)
    assert texts(tree) == [b"new"] * 3
    undo.undo(tree)
    assert texts(tree) == [b"old"] * 3
    with pytest.raises(undo.NothingToUndo, match="nothing to undo in this folder"):
        undo.undo(tree)


def test_an_apply_that_fails_forgets_no_earlier_one(tree):
    apply(tree, "a.py")
    assert apply(tree, "b.py", before=b"not this").error is not None
    undo.undo(tree)
    assert texts(tree) == [b"old"] * 3


def test_a_rename_that_fails_halfway_leaves_the_journal_with_what_was_written(tree, monkeypatch):
    replace = os.replace

    def busy(source, target, **where):
        if target == "b.py":
            raise OSError(16, "Device or resource busy")
        replace(source, target, **where)

    with monkeypatch.context() as patched:
        patched.setattr("os.replace", busy)
        written = apply(tree)
    assert str(written.error) == f"{tree / 'b.py'}: Device or resource busy"
    assert written.paths == {tree / "a.py"}
    assert texts(tree) == [b"new", b"old", b"old"]
    assert [target.path for target in undo.preview(tree).targets] == [tree / "a.py"]
    (tree / "b.py").write_bytes(b"an edit of a file that was not written")
    assert undo.undo(tree).edited == []
    assert (tree / "a.py").read_bytes() == b"old"


def test_a_journal_that_cannot_be_finished_is_said_and_undo_works(tree, monkeypatch):
    replace = os.replace

    def full(source, target, **where):
        if target.endswith(".json"):
            raise OSError(28, "No space left on device")
        replace(source, target, **where)

    said = []
    with monkeypatch.context() as patched:
        patched.setattr("os.replace", full)
        written = apply(tree, say=said.append)
    assert written.error is None
    assert "No space left on device" in said[0]
    assert texts(tree) == [b"new"] * 3
    undo.undo(tree)
    assert texts(tree) == [b"old"] * 3


def test_the_last_applies_are_kept_and_older_ones_forgotten(tree, monkeypatch):
    monkeypatch.setattr(journal, "KEPT", 2)
    for before, after in ((b"old", b"1"), (b"1", b"2"), (b"2", b"3")):
        apply(tree, "a.py", before=before, after=after)
    undo.undo(tree)
    undo.undo(tree)
    assert (tree / "a.py").read_bytes() == b"1"
    with pytest.raises(undo.NothingToUndo):
        undo.undo(tree)


def test_in_a_subfolder_only_what_is_below_it_is_put_back(tree):
    apply(tree)
    assert undo.undo(tree / "sub").outside == 2
    assert texts(tree) == [b"new", b"new", b"old"]
    undo.undo(tree)
    assert texts(tree) == [b"old"] * 3


def test_all_puts_back_the_whole_apply_from_a_subfolder(tree):
    apply(tree)
    undo.undo(tree / "sub", everything=True)
    assert texts(tree) == [b"old"] * 3


def test_an_apply_elsewhere_in_the_project_is_not_undone_in_a_subfolder(tree):
    apply(tree, "a.py")
    with pytest.raises(undo.NothingToUndo, match="nothing to undo in this folder"):
        undo.undo(tree / "sub")


def test_a_preview_writes_nothing(tree):
    apply(tree)
    assert len(undo.preview(tree).targets) == 3
    assert texts(tree) == [b"new"] * 3
    undo.undo(tree)


def test_applies_are_listed_the_newest_first(tree):
    apply(tree)
    apply(tree, "a.py", before=b"new", after=b"newer")
    listed = undo.applies(tree)
    assert [len(paths) for _, paths in listed] == [1, 3]
    assert [paths for _, paths in undo.applies(tree / "sub")] == [[tree / "sub/c.py"]]


def test_a_second_process_waits_and_neither_loses_anything(tree):
    script = (
        "import sys; from pathlib import Path; from dlfix import undo\n"
        "from dlfix.source.writing import Change\n"
        "tree = Path.cwd()\n"
        "changes = [Change(tree / f'm{n}.py', b'old', sys.argv[1].encode()) for n in range(40)]\n"
        "written = undo.record(changes, [], lambda note: None)\n"
        "print(len(written.paths), written.error)\n"
    )
    for number in range(40):
        (tree / f"m{number}.py").write_bytes(b"old")
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT / 'codemods'}"}
    both = [
        subprocess.Popen(
            [sys.executable, "-c", script, name], env=environment, stdout=subprocess.PIPE, text=True
        )
        for name in ("one", "two")
    ]
    outputs = sorted(process.communicate()[0] for process in both)
    assert outputs[0].startswith("0 "), outputs
    assert "changed on disk since it was read; not written" in outputs[0]
    assert outputs[1] == "40 None\n"
    undo.undo(tree)
    assert {(tree / f"m{number}.py").read_bytes() for number in range(40)} == {b"old"}


def test_one_that_waits_too_long_writes_nothing(tree, monkeypatch):
    monkeypatch.setattr(journal, "PATIENCE", 0.0)
    said = []
    with journal.opened(tree):
        written = apply(tree, say=said.append)
    assert "another dlfix" in str(written.error)
    assert said == ["waiting for another dlfix process that is writing files"]
    assert texts(tree) == [b"old"] * 3


# Interrupted


def stop_at(monkeypatch, name, error):
    replace = os.replace

    def stopped(source, target, **where):
        if target == name:
            raise error
        replace(source, target, **where)

    monkeypatch.setattr("os.replace", stopped)


def test_what_an_interrupted_apply_wrote_is_put_back_with_what_the_next_one_wrote(
    tree, monkeypatch
):
    with monkeypatch.context() as patched:
        stop_at(patched, "b.py", KeyboardInterrupt())
        with pytest.raises(KeyboardInterrupt):
            apply(tree)
    assert texts(tree) == [b"new", b"old", b"old"]
    assert [path.name for path in entries()] == ["00000001.part"]
    apply(tree, "b.py", "sub/c.py")
    undo.undo(tree)
    assert texts(tree) == [b"old"] * 3
    assert entries() == []


def test_a_file_that_both_wrote_gets_its_first_text_back(tree, monkeypatch):
    with monkeypatch.context() as patched:
        stop_at(patched, "b.py", KeyboardInterrupt())
        with pytest.raises(KeyboardInterrupt):
            apply(tree)
    apply(tree, "a.py", before=b"new", after=b"newer")
    undo.undo(tree)
    assert texts(tree) == [b"old"] * 3


def test_temporary_files_of_a_killed_apply_are_removed_by_the_next_run(tree):
    script = (
        "import os; from pathlib import Path; from dlfix import undo\n"
        "from dlfix.source.writing import Change\n"
        "real = os.replace\n"
        "def stop(source, target, **where):\n"
        "    if target == 'b.py': os.kill(os.getpid(), 9)\n"
        "    real(source, target, **where)\n"
        "os.replace = stop\n"
        "names = ['a.py', 'b.py', 'sub/c.py']\n"
        "undo.record([Change(Path.cwd() / n, b'old', b'new') for n in names], [], print)\n"
    )
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT / 'codemods'}"}
    assert subprocess.run([sys.executable, "-c", script], env=environment).returncode == -9
    mine = tree / ".dlfix-0123456789abcdef-0.tmp"
    mine.write_bytes(b"of nobody that the journal knows")
    assert len(list(tree.rglob(".dlfix-*.tmp"))) == 3
    undo.undo(tree)
    assert list(tree.rglob(".dlfix-*.tmp")) == [mine]
    assert texts(tree) == [b"old"] * 3


def test_sigterm_leaves_no_temporary_file(tree):
    script = (
        "import os; from pathlib import Path; from dlfix import undo\n"
        "from dlfix.source.writing import Change\n"
        "real = os.replace\n"
        "def stop(source, target, **where):\n"
        "    if target == 'b.py': os.kill(os.getpid(), 15)\n"
        "    real(source, target, **where)\n"
        "os.replace = stop\n"
        "names = ['a.py', 'b.py', 'sub/c.py']\n"
        "undo.record([Change(Path.cwd() / n, b'old', b'new') for n in names], [], print)\n"
    )
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT / 'codemods'}"}
    assert subprocess.run([sys.executable, "-c", script], env=environment).returncode == 143
    assert list(tree.rglob(".dlfix-*.tmp")) == []
    undo.undo(tree)
    assert texts(tree) == [b"old"] * 3


def test_an_undo_that_fails_halfway_can_be_repeated(tree, monkeypatch):
    apply(tree)
    with monkeypatch.context() as patched:
        stop_at(patched, "b.py", OSError(16, "Device or resource busy"))
        with pytest.raises(SourceError, match="busy"):
            undo.undo(tree)
    assert texts(tree) == [b"old", b"new", b"new"]
    undo.undo(tree)
    assert texts(tree) == [b"old"] * 3


def test_an_undo_that_is_interrupted_can_be_repeated(tree, monkeypatch):
    apply(tree)
    with monkeypatch.context() as patched:
        stop_at(patched, "b.py", KeyboardInterrupt())
        with pytest.raises(KeyboardInterrupt):
            undo.undo(tree)
    undo.undo(tree)
    assert texts(tree) == [b"old"] * 3
