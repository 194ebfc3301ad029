import os
import stat
import subprocess
import sys

import pytest

from dlfix.source.text import SourceError
from dlfix.source.writing import Change, write


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
        "import os, pathlib, sys, tempfile; from dlfix.source.writing import Change, write\n"
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


def test_killed_before_the_rename_the_old_file_is_whole(tmp_path):
    path = tmp_path / "a.py"
    path.write_bytes(b"old")
    script = (
        "import os, sys; from pathlib import Path; from dlfix.source import writing\n"
        "os.replace = lambda *a: os.kill(os.getpid(), 9)\n"
        "writing.write([writing.Change(Path(sys.argv[1]), b'old', b'new')])\n"
    )
    done = subprocess.run([sys.executable, "-c", script, str(path)], check=False)
    assert done.returncode == -9
    assert path.read_bytes() == b"old"
