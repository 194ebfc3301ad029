"""Nothing of the project is run by a command that reads it, whatever lies in its folder."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TRAIN = """\
from torch.utils.data import DataLoader


def make(ds):
    return DataLoader(ds, num_workers=2, collate_fn=lambda batch: list(batch))
"""
TRAP = "import os\nopen(os.environ['TRAP'], 'a').write(__file__ + '\\n')\n"
# What runpy has imported before `python -m dlfix` comes to us is not among them; see SECURITY.md.
SHADOWS = (
    "signal.py", "ast.py", "json.py", "pickle.py", "subprocess.py", "queue.py", "hashlib.py",
    "sitecustomize.py", "usercustomize.py", "libcst/__init__.py", "typer/__init__.py",
    "rich/__init__.py", "dlfix_codemods/__init__.py", "pygls/__init__.py", "evil.py",
)  # fmt: skip


PACKAGES = ("libcst", "typer", "rich", "pathspec", "pygls", "lsprotocol", "dlfix_codemods", "evil")
# A package that says which modules are loaded before `python -m` comes to its first line.
FIRST = "import sys; print(*sys.modules)"


@pytest.fixture
def checkout(tmp_path):
    """A project that shadows modules of the standard library, of dlfix's dependencies, and plugins."""
    folder = tmp_path / "checkout"
    folder.mkdir()
    for name in SHADOWS:
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(TRAP)
    info = folder / "evil-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[dlfix.codemods]\nmodule_level_callables = evil:X\n")
    for number in range(20):
        (folder / f"train{number}.py").write_text(TRAIN)
    return folder


def run(checkout, *arguments, trap, path=(), input=""):
    entries = [str(ROOT / "src"), str(ROOT / "codemods"), *path]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(entries), "TRAP": str(trap)}
    environment["XDG_STATE_HOME"] = str(trap.parent / "state")
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=checkout, env=environment, input=input, capture_output=True, text=True, timeout=100,
    )  # fmt: skip


COMMANDS = {
    "check": ("check",),
    "check in processes": ("check", "--output-format", "sarif", "-j", "2"),
    "apply": ("apply",),
    "trace": ("trace",),
    "explain": ("explain", "DLF101"),
    "explain a traceback": ("explain", "-"),
    "config": ("config",),
    "lsp": ("lsp",),
    "undo": ("undo",),
}


@pytest.mark.parametrize("arguments", COMMANDS.values(), ids=COMMANDS)
def test_no_module_of_the_working_directory_is_imported(checkout, tmp_path, arguments):
    trap = tmp_path / "trapped"
    done = run(checkout, "-m", "dlfix", *arguments, trap=trap)
    assert not trap.exists(), trap.read_text()
    assert "Traceback" not in done.stderr
    if arguments[0] in ("check", "trace"):
        assert "train0.py" in done.stdout


def test_every_module_that_the_interpreter_leaves_to_us_can_lie_there(tmp_path):
    (tmp_path / "first").mkdir()
    (tmp_path / "first" / "__main__.py").write_text(FIRST)
    before = subprocess.run(
        [sys.executable, "-m", "first"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    loaded = {name.partition(".")[0] for name in before.stdout.split()}
    hostile = tmp_path / "checkout"
    hostile.mkdir()
    for name in {*sys.stdlib_module_names, *PACKAGES} - loaded:
        (hostile / f"{name}.py").write_text(TRAP)
    assert (hostile / "signal.py").exists()
    (hostile / "train.py").write_text(TRAIN)
    for arguments in (("check", "train.py"), ("apply", "--diff", "train.py"), ("lsp",)):
        done = run(hostile, "-m", "dlfix", *arguments, trap=tmp_path / "trapped")
        assert not (tmp_path / "trapped").exists(), (tmp_path / "trapped").read_text()
        assert "DLF101" in done.stdout + done.stderr or arguments == ("lsp",)


def test_the_entry_point_of_the_command_is_as_safe(checkout, tmp_path):
    trap = tmp_path / "trapped"
    script = tmp_path / "bin" / "dlfix"
    script.parent.mkdir()
    script.write_text("import sys\nfrom dlfix.__main__ import main\nsys.exit(main())\n")
    done = run(checkout, str(script), "check", "-j", "2", "--output-format", "json", trap=trap)
    assert "DLF101" in done.stdout
    assert not trap.exists(), trap.read_text()


def test_the_console_script_leaves_the_working_directory_first():
    text = (ROOT / "pyproject.toml").read_text()
    assert 'dlfix = "dlfix.__main__:main"' in text


@pytest.mark.parametrize("entry", ["", ".", "checkout"])
def test_the_working_directory_is_left_however_it_came_into_the_path(tmp_path, monkeypatch, entry):
    from dlfix.safe_path import without_working_folder

    monkeypatch.chdir(tmp_path)
    (tmp_path / "checkout").symlink_to(tmp_path)
    written = str(tmp_path / entry) if entry == "checkout" else entry
    assert without_working_folder([written, "/usr/lib/python3"]) == ["/usr/lib/python3"]


def test_the_folder_that_dlfix_comes_from_stays(monkeypatch):
    from dlfix.safe_path import without_working_folder

    monkeypatch.chdir(ROOT / "src")
    assert without_working_folder([str(ROOT / "src")]) == [str(ROOT / "src")]


def test_a_working_directory_that_was_removed_is_no_error(tmp_path, monkeypatch):
    from dlfix.safe_path import without_working_folder

    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert without_working_folder(["/usr/lib/python3"]) == ["/usr/lib/python3"]


def test_a_full_output_device_is_one_line(checkout, tmp_path):
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full here")
    for arguments in (("check",), ("rules", "--output-format", "json"), ("explain", "DLF101")):
        with open("/dev/full", "w") as full:
            environment = {
                **os.environ,
                "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT / 'codemods'}",
            }
            done = subprocess.run(
                [sys.executable, "-m", "dlfix", *arguments],
                cwd=checkout, env={**environment, "TRAP": str(tmp_path / "trap")}, stdout=full,
                stderr=subprocess.PIPE, text=True,
            )  # fmt: skip
        assert done.returncode == 2
        (line,) = done.stderr.splitlines()
        assert line.startswith("dlfix: ")
        assert line.endswith("No space left on device")


REPORTS = {
    "output": ("check", "--output-format", "sarif", "--output-file"),
    "page": ("check", "--report"),
    "page of apply": ("apply", "--report"),
    "editor": ("ide", "vscode", "--write"),
}


@pytest.mark.parametrize("arguments", REPORTS.values(), ids=REPORTS)
@pytest.mark.parametrize("place", ["report", "folder/report"])
def test_a_report_is_not_written_through_a_link_of_the_checkout(
    checkout, tmp_path, arguments, place
):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "report").write_text("")
    (checkout / "report").symlink_to(outside / "report")
    (checkout / "folder").symlink_to(outside)
    done = run(checkout, "-m", "dlfix", *arguments, place, trap=tmp_path / "trapped")
    assert done.returncode == 2
    assert "which is outside the working directory" in done.stderr
    assert (outside / "report").read_text() == ""


@pytest.mark.skipif(not os.path.exists("/dev/stdout"), reason="there is no such link")
def test_a_link_that_is_not_of_the_checkout_is_followed(checkout, tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    (checkout / "inner").symlink_to(checkout / "train0.py.html")
    for place in ("/dev/stdout", str(tmp_path / "link" / "page.html"), "../real/other", "inner"):
        done = run(checkout, "-m", "dlfix", "check", "--report", place, trap=tmp_path / "trapped")
        assert done.returncode == 1, done.stderr
    assert {path.name for path in (tmp_path / "real").iterdir()} == {"page.html", "other"}


@pytest.mark.skipif(os.name != "posix", reason="Windows keeps a folder that is in use")
def test_a_working_directory_that_does_not_exist_is_one_line(tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    code = (
        "import os, sys; os.rmdir(os.getcwd()); sys.argv[1:] = ['check'];"
        " from dlfix.__main__ import main; main()"
    )
    done = run(gone, "-c", code, trap=tmp_path / "trap")
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith("dlfix: ")


STARTS = {"subprocess", "multiprocessing", "concurrent.futures", "pty"}
MAY_START = {
    "editor/server.py",  # threads only
    "fleet.py",  # git clone
    "interactive.py",  # the user's own $EDITOR
    "processes.py", "runtime/probe.py", "runtime/supervisor.py",
    # In the user's interpreter, whose processes these watch:
    *(f"runtime/inside/{name}.py" for name in (
        "boundaries", "child", "contents", "fetching", "pickling", "program", "watch", "worker",
    )),
}  # fmt: skip


def test_processes_are_started_in_a_few_places_only():
    import ast

    source = ROOT / "src" / "dlfix"
    found = set()
    for path in source.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) else []
            if any(name in STARTS for name in names):
                found.add(path.relative_to(source).as_posix())
    assert found <= MAY_START
