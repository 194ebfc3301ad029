import errno
import os
import stat
import subprocess
import sys

import pytest

from dlfix.source.text import SourceError
from dlfix.source.writing import Change, PartlyWritten, resolve, write


def test_the_new_bytes_are_there_and_nothing_else(tmp_path):
    path = tmp_path / "a.py"
    path.write_bytes(b"old")
    write([Change(path, b"old", b"new\r\n")])
    assert path.read_bytes() == b"new\r\n"
    assert os.listdir(tmp_path) == ["a.py"]


@pytest.mark.parametrize("mode", [0o644, 0o755, 0o600, 0o666])
def test_the_mode_is_kept(tmp_path, mode):
    path = tmp_path / "a.py"
    path.write_bytes(b"old")
    path.chmod(mode)
    write([Change(path, b"old", b"new")])
    assert stat.S_IMODE(path.stat().st_mode) == mode


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs root")
def test_the_owner_is_kept(tmp_path):
    path = tmp_path / "a.py"
    path.write_bytes(b"old")
    os.chown(path, 1234, 5678)
    path.chmod(0o640)
    write([Change(path, b"old", b"new")])
    now = path.stat()
    assert (now.st_uid, now.st_gid, stat.S_IMODE(now.st_mode)) == (1234, 5678, 0o640)


def test_a_file_that_changed_since_it_was_read_is_not_written(tmp_path):
    path = tmp_path / "a.py"
    path.write_bytes(b"theirs")
    with pytest.raises(SourceError, match="changed on disk"):
        write([Change(path, b"old", b"new")])
    assert path.read_bytes() == b"theirs"
    assert os.listdir(tmp_path) == ["a.py"]


def test_one_file_that_cannot_be_written_keeps_all_as_they_are(tmp_path):
    first, second = tmp_path / "a.py", tmp_path / "b.py"
    first.write_bytes(b"old")
    second.write_bytes(b"theirs")
    with pytest.raises(SourceError, match=r"b\.py"):
        write([Change(first, b"old", b"new"), Change(second, b"old", b"new")])
    assert first.read_bytes() == b"old"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs root")
def test_root_may_write_a_read_only_file_and_it_stays_read_only(tmp_path):
    path = tmp_path / "a.py"
    path.write_bytes(b"old")
    path.chmod(0o444)
    write([Change(path, b"old", b"new")])
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o444


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs root")
def test_a_read_only_file_of_ones_own_is_refused():
    script = (
        "import os, pathlib, sys, tempfile; from dlfix.source.writing import Change, PartlyWritten, resolve, write\n"
        "os.setuid(65534)\n"
        "with tempfile.TemporaryDirectory() as folder:\n"
        "    path = pathlib.Path(folder, 'a.py'); path.write_bytes(b'old'); path.chmod(0o444)\n"
        "    try:\n        write([Change(path, b'old', b'new')])\n"
        "    except Exception as error:\n        print(str(error).endswith('read-only; not written'))\n"
        "    print(path.read_bytes() == b'old', os.listdir(folder) == ['a.py'])\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout.split() == ["True"] * 3, done.stderr


def test_a_file_this_user_may_not_write_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "a.py"
    path.write_bytes(b"old")
    monkeypatch.setattr("os.access", lambda *_: False)  # root may write what is read-only
    with pytest.raises(SourceError, match="read-only"):
        write([Change(path, b"old", b"new")])
    assert path.read_bytes() == b"old"


def test_a_link_stays_a_link_and_its_target_is_written(tmp_path):
    path = tmp_path / "real/a.py"
    path.parent.mkdir()
    path.write_bytes(b"old")
    link = tmp_path / "link.py"
    link.symlink_to(path)
    write([Change(link, b"old", b"new")])
    assert link.is_symlink()
    assert path.read_bytes() == b"new"


def test_a_link_out_of_the_project_is_not_followed(tmp_path):
    outside = tmp_path / "outside.py"
    outside.write_bytes(b"old")
    project = tmp_path / "project"
    project.mkdir()
    (project / "link.py").symlink_to(outside)
    with pytest.raises(SourceError, match=r"a symbolic link to .*, which is outside the project"):
        resolve(Change(project / "link.py", b"old", b"new"), [project])


@pytest.mark.parametrize("swapped", ["file", "folder"])
def test_a_link_that_takes_the_place_of_a_file_or_folder_is_not_followed(tmp_path, swapped):
    path = tmp_path / "project/sub/a.py"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"old")
    victim = tmp_path / "elsewhere/a.py"
    victim.parent.mkdir()
    victim.write_bytes(b"old")
    target = resolve(Change(path, b"old", b"new"), [tmp_path / "project"])
    if swapped == "file":
        path.unlink()
        path.symlink_to(victim)
    else:
        path.parent.rename(tmp_path / "moved")
        path.parent.symlink_to(victim.parent)
    with pytest.raises(
        SourceError,
        match="the file or a parent folder was replaced by a symbolic link; not written",
    ):
        write([target])
    assert victim.read_bytes() == b"old"
    assert os.listdir(victim.parent) == ["a.py"]


def test_an_edit_made_while_earlier_files_are_replaced_is_kept(tmp_path, monkeypatch):
    paths = [tmp_path / name for name in ("a.py", "b.py", "c.py")]
    for path in paths:
        path.write_bytes(b"old")
    replace = os.replace

    def then_edit(source, target, **where):
        replace(source, target, **where)
        paths[1].write_bytes(b"old and an edit")

    monkeypatch.setattr("os.replace", then_edit)
    with pytest.raises(PartlyWritten, match=r"b\.py: changed on disk") as failure:
        write([Change(path, b"old", b"new") for path in paths])
    assert [target.path for target in failure.value.written] == paths[:1]
    assert [path.read_bytes() for path in paths] == [b"new", b"old and an edit", b"old"]
    assert sorted(os.listdir(tmp_path)) == ["a.py", "b.py", "c.py"]


def test_a_new_text_is_never_readable_by_others_before_it_is_in_place(tmp_path, monkeypatch):
    path = tmp_path / "a.py"
    path.write_bytes(b"old")
    path.chmod(0o600)
    modes = []
    sync = os.fsync
    monkeypatch.setattr(
        "os.fsync", lambda fd: (modes.append(stat.S_IMODE(os.fstat(fd).st_mode)), sync(fd))
    )
    write([Change(path, b"old", b"new")])
    assert modes[0] == 0o600


def test_other_hard_links_keep_the_old_text_and_that_is_said(tmp_path):
    path, other = tmp_path / "a.py", tmp_path / "other"
    path.write_bytes(b"old")
    os.link(path, other)
    said = []
    write([Change(path, b"old", b"new")], say=said.append)
    assert (path.read_bytes(), other.read_bytes()) == (b"new", b"old")
    assert said == [f"{path}: the file has other hard links, which still refer to the old content"]


def test_a_name_as_long_as_the_file_system_allows_is_written(tmp_path):
    path = tmp_path / ("a" * 252 + ".py")
    path.write_bytes(b"old")
    write([Change(path, b"old", b"new")])
    assert path.read_bytes() == b"new"


def test_a_full_disk_changes_nothing(tmp_path, monkeypatch):
    paths = [tmp_path / name for name in ("a.py", "b.py")]
    for path in paths:
        path.write_bytes(b"old")
    sync, calls = os.fsync, []

    def full(descriptor):
        calls.append(descriptor)
        if len(calls) == 2:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        sync(descriptor)

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(SourceError, match=r"b\.py: No space left on device"):
        write([Change(path, b"old", b"new") for path in paths])
    assert [path.read_bytes() for path in paths] == [b"old", b"old"]
    assert sorted(os.listdir(tmp_path)) == ["a.py", "b.py"]


def test_extended_attributes_are_kept(tmp_path):
    path = tmp_path / "a.py"
    path.write_bytes(b"old")
    try:
        os.setxattr(path, "user.note", b"mine")
    except (AttributeError, OSError):
        pytest.skip("no extended attributes here")
    write([Change(path, b"old", b"new")])
    assert os.getxattr(path, "user.note") == b"mine"


def test_a_pipe_in_the_place_of_a_file_does_not_hang(tmp_path):
    path = tmp_path / "a.py"
    os.mkfifo(path)
    with pytest.raises(SourceError, match="not a regular file"):
        write([Change(path, b"old", b"new")])


def test_killed_before_the_rename_the_old_file_is_whole(tmp_path):
    path = tmp_path / "a.py"
    path.write_bytes(b"old")
    script = (
        "import os, sys; from pathlib import Path; from dlfix.source import writing\n"
        "os.replace = lambda *a, **k: os.kill(os.getpid(), 9)\n"
        "writing.write([writing.Change(Path(sys.argv[1]), b'old', b'new')])\n"
    )
    done = subprocess.run([sys.executable, "-c", script, str(path)], check=False)
    assert done.returncode == -9
    assert path.read_bytes() == b"old"
