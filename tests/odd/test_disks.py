"""Disks that are full or mounted read-only, and what this user may not read or write."""

import functools
import os
import shutil
import subprocess
import sys

import pytest

from tests.odd.conftest import PROGRAM

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs unshare and setpriv")
# In a namespace of its own; as root of one where this user is another.
MOUNTING = [
    "unshare",
    "--mount",
    *(["--user", "--map-root-user"] if os.name == "posix" and os.geteuid() else []),
]
# Root without what lets root read and write everything.
BOUND = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search", "--inh-caps", "-all"]


@functools.cache
def works(*command):
    """Return whether a command can be run here: containers often forbid it."""
    return shutil.which(command[0]) and subprocess.run(command, capture_output=True).returncode == 0


@pytest.fixture
def disk(world):
    """A folder `disk` that is a disk of 128 KB with the program on it, for the time of a script."""
    if not works(*MOUNTING, "mount", "-t", "tmpfs", "none", "/mnt"):
        pytest.skip("nothing can be mounted here")
    world.write("train.py")
    (world.folder / "disk").mkdir()

    def run(script):
        setup = "mount -t tmpfs -o size=128k none disk && mkdir disk/.git && cp train.py disk"
        functions = f"""
            dlfix() {{ {sys.executable} -m dlfix "$@"; echo "status $?"; }}
            fill() {{ cat /dev/zero > disk/filler 2>/dev/null; }}
        """
        done = subprocess.run(
            [*MOUNTING, "sh", "-c", f"{setup}\n{functions}\n{script}"],
            cwd=world.folder, capture_output=True, text=True, timeout=120, env={**os.environ, "COLUMNS": "200"},
        )  # fmt: skip
        assert "Traceback" not in done.stderr
        assert "internal error" not in done.stderr
        return done

    return run


def test_on_a_full_disk_the_old_file_stays_whole_and_nothing_is_left_beside_it(disk, world):
    done = disk("fill; cd disk; dlfix apply -q; cmp train.py ../train.py && echo whole; ls -A")
    assert done.stdout.splitlines()[-5:] == ["status 2", "whole", ".git", "filler", "train.py"]
    (line,) = done.stderr.splitlines()
    assert line == f"{world.folder}/disk/train.py: No space left on device"


def test_an_undo_on_a_full_disk_can_be_repeated_when_there_is_room(disk):
    done = disk("""
        cd disk; dlfix apply -q; cp train.py ../fixed.py; cd ..
        fill; cd disk; dlfix undo; cmp train.py ../fixed.py && echo whole; ls -A
        rm filler; dlfix undo; cmp train.py ../train.py && echo restored
    """)
    assert [line for line in done.stdout.splitlines() if line in ("whole", "restored")] == [
        "whole",
        "restored",
    ]
    assert [line for line in done.stdout.splitlines() if "status" in line] == [
        "status 0",
        "status 2",
        "status 0",
    ]
    assert "No space left on device" in done.stderr
    assert ".dlfix-" not in done.stdout


def test_a_state_directory_on_a_full_disk_is_said_and_files_are_written(disk):
    done = disk(
        "fill; XDG_STATE_HOME=$PWD/disk dlfix apply -q train.py; grep -c cached_property train.py"
    )
    assert "status 0" in done.stdout
    assert done.stdout.splitlines()[-1] != "0"
    assert "No space left on device; `dlfix undo` cannot undo this apply" in done.stderr


@pytest.mark.parametrize("state", ["fill", "mount -o remount,ro disk"], ids=["full", "read-only"])
def test_a_check_needs_no_disk(disk, state):
    done = disk(
        f"{state}; cd disk; export XDG_CACHE_HOME=$PWD TMPDIR=$PWD; dlfix check --output-format concise; dlfix check -q -j 2"
    )
    assert "train.py:18:65: DLF101" in done.stdout
    assert [line for line in done.stdout.splitlines() if "status" in line] == [
        "status 1",
        "status 1",
    ]
    assert done.stderr == ""


@pytest.mark.parametrize("option", ["--output-file", "--report"])
def test_a_report_on_a_full_disk_is_refused_in_a_line(disk, option):
    done = disk(f"fill; dlfix check --exit-zero {option} disk/report train.py > out; cat out")
    assert done.stdout.splitlines()[-1] == "status 2"
    (line,) = done.stderr.splitlines()
    assert line.endswith("disk/report: No space left on device")


def test_in_a_tree_that_is_read_only_nothing_is_written_and_it_is_said(disk, world):
    done = disk(
        "mount -o remount,ro disk; cd disk; dlfix apply -q; cmp train.py ../train.py && echo whole; ls -A"
    )
    assert done.stdout.splitlines()[-4:] == ["status 2", "whole", ".git", "train.py"]
    (line,) = done.stderr.splitlines()
    assert line == f"{world.folder}/disk/train.py: read-only; not written"


# Permission


@pytest.fixture
def bound(world):
    """Run dlfix as one who may do what the modes of files say, root or not."""
    command = BOUND if os.geteuid() == 0 else []
    if command and not works(*command, "true"):
        pytest.skip("root cannot do without its rights here")
    world.write("train.py")

    def run(*arguments, **environment):
        done = subprocess.run(
            [*command, sys.executable, "-m", "dlfix", *arguments], cwd=world.folder, capture_output=True,
            text=True, timeout=120, env={**os.environ, **environment},
        )  # fmt: skip
        assert "Traceback" not in done.stderr
        assert "internal error" not in done.stderr
        return done

    yield run
    for path in world.folder.parent.rglob("*"):
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o755)  # so that it can be removed


def test_what_may_not_be_read_is_reported_and_the_rest_is_followed(bound, world):
    world.write("secret.py").chmod(0)
    world.write("closed/a.py").parent.chmod(0)
    world.write(".gitignore", "train.py\n").chmod(0)
    done = bound("check", "--output-format", "concise")
    assert "train.py:18:65: DLF101" in done.stdout
    assert done.returncode == 2
    assert sorted(done.stderr.splitlines()) == [
        f"{world.folder}/closed: Permission denied",
        f"{world.folder}/secret.py: Permission denied",
    ]


def test_a_configuration_that_may_not_be_read_is_one_line(bound, world):
    world.write("dlfix.toml", "strict = true\n").chmod(0)
    done = bound("check")
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.endswith("dlfix.toml: Permission denied")


@pytest.mark.parametrize(
    ("name", "mode"), [("train.py", 0o444), (".", 0o555)], ids=["file", "folder"]
)
def test_what_may_not_be_written_is_refused_in_a_line(bound, world, name, mode):
    (world.folder / name).chmod(mode)
    done = bound("apply", "-q")
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"{world.folder}/train.py: ")
    assert (world.folder / "train.py").read_text() == PROGRAM


@pytest.mark.parametrize("variable", ["XDG_STATE_HOME", "XDG_CACHE_HOME"])
def test_without_a_home_that_may_be_written_to_it_works_all_the_same(
    bound, world, tmp_path, variable
):
    home = tmp_path / "home"
    home.mkdir(mode=0o555)
    assert bound("check", "-q", **{variable: str(home)}).stderr == ""
    done = bound("apply", "-q", **{variable: str(home)})
    assert "cached_property" in (world.folder / "train.py").read_text()
    assert ("cannot undo" in done.stderr) is (variable == "XDG_STATE_HOME")
