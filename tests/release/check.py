"""What is released works where nothing else is installed: `make release-check`.

Builds wheel and sdist, installs the wheel into empty environments of the Pythons that are there, the sdist into one,
and lets it check, apply and undo. Exits with 1 if one of them fails; it is said which Python is not there.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.release.packages import ROOT, build, copied

PYTHONS = ("3.10", "3.11", "3.12", "3.13")
EXAMPLE = ROOT / "examples" / "birds"


def main(versions: Sequence[str] = PYTHONS) -> int:
    """Build, install and try with some versions of Python."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        packages = build(copied(folder / "sources"), folder / "packages")
        trials = [
            (version, package)
            for version in versions
            for package in packages
            # The sources build the same wheel with any Python: the oldest is tried.
            if package.suffix == ".whl" or version == versions[0]
        ]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            failed = list(pool.map(lambda trial: has_failed(*trial, folder), trials))
    return 1 if any(failed) else 0


def has_failed(version: str, package: Path, folder: Path) -> bool:
    """Try a package with a Python, where that is there, and say what came of it."""
    python = found(version)
    if python is None:
        print(f"Python {version}: skipped, it is not installed here", flush=True)
        return False
    said = tried(python, package, folder / f"{version}{package.suffix}")
    print(f"Python {version}, {package.name}: {said or 'works'}", flush=True)
    return bool(said)


def found(version: str) -> str | None:
    """Return the interpreter of a version, where there is one."""
    minor = f"{sys.version_info[0]}.{sys.version_info[1]}"
    if version == minor:
        return sys.executable
    installed = sorted(pyenv().glob(f"versions/{version}.*/bin/python"))
    names = [shutil.which(f"python{version}"), *map(str, installed)]
    return next((name for name in names if name and works(name)), None)


def pyenv() -> Path:
    """Return where pyenv keeps its Pythons, whose commands work only for those that are chosen."""
    return Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")


def works(python: str) -> bool:
    """Return whether an interpreter runs."""
    return subprocess.run([python, "-c", ""], stderr=subprocess.DEVNULL).returncode == 0


def tried(python: str, package: Path, place: Path) -> str:
    """Install a package and use it; return what went wrong."""
    run([python, "-m", "venv", str(place / "venv")], place.parent)
    binaries = place / "venv" / ("Scripts" if os.name == "nt" else "bin")
    run([str(binaries / "python"), "-m", "pip", "install", "--quiet", str(package)], place)
    tree = place / "birds"
    shutil.copytree(EXAMPLE, tree, ignore=shutil.ignore_patterns("__pycache__"))
    (tree / "dlfix.toml").write_text('extend-exclude = ["old"]\n')  # so that it is read, too
    before = contents(tree)
    steps = [(["--version"], 0), (["rules"], 0), (["check"], 1), (["apply"], 0), (["check"], 0),
             (["undo"], 0)]  # fmt: skip
    for arguments, expected in steps:
        done = run([str(binaries / "dlfix"), *arguments], tree, place / "state")
        if done.returncode != expected or "Traceback" in done.stderr:
            return f"dlfix {' '.join(arguments)} ends with {done.returncode}:\n{done.stderr}"
    return "" if contents(tree) == before else "undo does not give the files back"


def run(
    command: list[str], folder: Path, state: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command away from this repository and its modules."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    if state is not None:
        environment |= {"XDG_STATE_HOME": str(state), "XDG_CACHE_HOME": str(state)}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if state is None and done.returncode:
        raise SystemExit(f"{' '.join(command)}:\n{done.stderr}")
    return done


def contents(tree: Path) -> dict[str, bytes]:
    """Return a project's files."""
    return {path.name: path.read_bytes() for path in sorted(tree.rglob("*.py"))}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or PYTHONS))
