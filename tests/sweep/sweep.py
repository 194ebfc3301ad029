"""Check and apply over copies of whole trees: `python -m tests.sweep.sweep [TREES]`, or `make sweep`.

Without trees: the running Python's standard library with its tests, and what is installed beside it.
Nothing of the trees is imported or run, and nothing is written outside a temporary folder.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

from tests.sweep.oracle import compiles, lost_comments

FOLDERS = ("site-packages", "dist-packages")  # of many trees, each swept alone
SUFFIXES = (".py", ".pyw", ".ipynb")


@dataclass
class Totals:
    """What a sweep counts; what `MUST_BE_0` names is wrong."""

    files: int = 0
    unreadable: int = 0
    findings: int = 0
    changed: int = 0
    tracebacks: int = 0
    internal_errors: int = 0
    not_compiling: int = 0
    comments_lost: int = 0
    changed_by_second_apply: int = 0
    changed_unplanned: int = 0
    undo_differences: int = 0
    cpu_seconds: float = 0.0
    peak_megabytes: float = 0.0
    notes: list[str] = field(default_factory=list)

    def add(self, other: Totals) -> None:
        """Count another tree in."""
        for one in fields(self):
            mine, its = getattr(self, one.name), getattr(other, one.name)
            setattr(self, one.name, max(mine, its) if one.name == "peak_megabytes" else mine + its)

    @property
    def wrong(self) -> int:
        """How much of what must not be there is there."""
        return sum(getattr(self, name) for name in MUST_BE_0)


MUST_BE_0 = (
    "tracebacks", "internal_errors", "not_compiling", "comments_lost", "changed_by_second_apply",
    "changed_unplanned", "undo_differences",
)  # fmt: skip


@dataclass
class _Run:
    out: str
    err: str
    status: int
    seconds: float
    megabytes: float


def sweep(tree: Path, dlfix: Sequence[str]) -> Totals:
    """Sweep one tree."""
    with tempfile.TemporaryDirectory(prefix="dlfix-sweep-") as folder:
        copy = Path(folder, "tree")
        shutil.copytree(tree, copy, symlinks=True, ignore=_unneeded)
        Path(folder, ".git").mkdir()  # rules and journals above are not the tree's
        return _Sweep(copy, dlfix, Path(folder, "state")).run()


class _Sweep:
    def __init__(self, tree: Path, dlfix: Sequence[str], state: Path) -> None:
        self.tree = tree
        self.dlfix = dlfix
        self.environment = {**os.environ, "XDG_STATE_HOME": str(state), "HOME": str(state)}
        state.mkdir()
        self.totals = Totals()

    def run(self) -> Totals:
        """Check, apply, apply again, undo."""
        before = _contents(self.tree)
        self.totals.files = len(before)
        planned = self._check()
        self._dlfix("apply", "--unsafe-fixes", "--quiet", "--exit-zero")
        after = _contents(self.tree)
        self._judge(before, after, planned)
        self._dlfix("apply", "--unsafe-fixes", "--quiet", "--exit-zero")
        again = _differing(after, _contents(self.tree))
        self._count("changed_by_second_apply", again)
        for changed in (again, _differing(before, after)):
            if changed:  # each undo takes back one apply
                self._dlfix("undo", "--quiet")
        self._count("undo_differences", _differing(before, _contents(self.tree)))
        return self.totals

    def _check(self) -> set[Path]:
        """Return the files that some fix names."""
        done = self._dlfix("check", "--output-format", "json")
        self.totals.unreadable = done.err.count(": does not parse") + done.err.count(": not ")
        try:
            entries = json.loads(done.out)
        except ValueError:
            self._count("internal_errors", ["the JSON does not parse"])
            return set()
        self.totals.findings = len(entries)
        bugs = [one["refused"] for one in entries if "internal error" in (one["refused"] or "")]
        self._count("internal_errors", bugs)
        fixes = [one["fix"] for one in entries if one["fix"]]
        return {Path(edit["filename"]) for fix in fixes for edit in fix["edits"]}

    def _judge(
        self, before: dict[Path, bytes], after: dict[Path, bytes], planned: set[Path]
    ) -> None:
        changed = _differing(before, after)
        self.totals.changed = len(changed)
        self._count("changed_unplanned", [path for path in changed if path not in planned])
        for path in changed:
            old, new = before.get(path, b""), after.get(path, b"")
            if path.suffix != ".ipynb":
                self._count("comments_lost", [f"{path}: {c}" for c in lost_comments(old, new)])
                broken = compiles(old) and not compiles(new)
                self._count("not_compiling", [path] if broken else [])

    def _dlfix(self, *arguments: str) -> _Run:
        # From above the tree: a `types.py` of its own is not to be imported.
        paths = [] if arguments[0] == "undo" else [self.tree.name]
        done = _run([*self.dlfix, *arguments, *paths], self.tree.parent, self.environment)
        self.totals.cpu_seconds += done.seconds
        self.totals.peak_megabytes = max(self.totals.peak_megabytes, done.megabytes)
        said = done.err.splitlines()
        self._count("tracebacks", [one for one in said if one.startswith("Traceback (most recent")])
        if done.status not in (0, 1, 2):
            self._count("tracebacks", [f"{arguments[0]} ended with {done.status}"])
        self._count("internal_errors", [one for one in said if "internal error" in one])
        return done

    def _count(self, name: str, cases: Sequence[object]) -> None:
        setattr(self.totals, name, getattr(self.totals, name) + len(cases))
        self.totals.notes += [f"{name}: {one}".replace(f"{self.tree}/", "") for one in cases]


def _run(command: Sequence[str], folder: Path, environment: dict[str, str]) -> _Run:
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = subprocess.Popen(command, cwd=folder, env=environment, stdout=out, stderr=err)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode("utf-8", "replace"))
    seconds = used.ru_utime + used.ru_stime
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return _Run(texts[0], texts[1], child.returncode, seconds, used.ru_maxrss / unit)


def _contents(tree: Path) -> dict[Path, bytes]:
    files = (path for path in tree.rglob("*") if path.suffix in SUFFIXES)
    return {path: path.read_bytes() for path in files if path.is_file() and not path.is_symlink()}


def _differing(one: dict[Path, bytes], other: dict[Path, bytes]) -> list[Path]:
    return sorted(path for path in one.keys() | other.keys() if one.get(path) != other.get(path))


def _unneeded(folder: str, names: list[str]) -> list[str]:
    """Leave out what dlfix does not read: it would only be copied."""
    kept = (*SUFFIXES, ".toml", ".gitignore", ".cfg", ".ini")
    return [
        name
        for name in names
        if name in ("__pycache__", *FOLDERS)  # installed packages are trees of their own
        or (not os.path.isdir(os.path.join(folder, name)) and not name.endswith(kept))
        or not os.path.exists(os.path.join(folder, name))
    ]


def trees_in(path: Path) -> Iterator[Path]:
    """Yield the trees of a folder: each installed package by itself, else the folder."""
    if path.name not in FOLDERS:
        yield path
        return
    for inner in sorted(path.iterdir()):
        if inner.is_dir() and not inner.name.endswith((".dist-info", "__pycache__")):
            yield inner


def default_trees() -> list[Path]:
    """Return the standard library, and the folder of installed packages."""
    paths = sysconfig.get_paths()
    return [Path(paths["stdlib"]), Path(paths["purelib"])]


def report(rows: Iterable[tuple[str, Totals]]) -> Totals:
    """Print a line for each tree as it is done, and the totals."""
    names = [one.name for one in fields(Totals) if one.name != "notes"]
    total = Totals()
    print("\t".join(["tree", *names]))
    for name, totals in rows:
        total.add(totals)
        print("\t".join([name, *(_number(getattr(totals, each)) for each in names)]), flush=True)
        for note in totals.notes:
            print(f"    {note}", flush=True)
    print("\t".join(["total", *(_number(getattr(total, each)) for each in names)]))
    return total


def _number(value: float) -> str:
    return f"{value:.1f}" if isinstance(value, float) else str(value)


def main() -> int:
    """Sweep what is named; exit with 1 if anything is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trees", nargs="*", type=Path)
    parser.add_argument("--json", type=Path, help="write the totals of each tree to this file")
    chosen = parser.parse_args()
    trees = [tree for path in chosen.trees or default_trees() for tree in trees_in(path.absolute())]
    done: dict[str, Totals] = {}

    def rows() -> Iterator[tuple[str, Totals]]:
        for tree in trees:
            done[tree.name] = sweep(tree, [sys.executable, "-m", "dlfix"])
            yield tree.name, done[tree.name]

    total = report(rows())
    if chosen.json:
        chosen.json.write_text(
            json.dumps({name: asdict(one) for name, one in done.items()}, indent=2)
        )
    return 1 if total.wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
