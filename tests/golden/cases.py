"""Golden cases on disk, and what dlfix makes of them."""

from __future__ import annotations

import difflib
import functools
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dlfix.fixing.engine import Diagnosis, Rewritten
from dlfix.source.text import read

if TYPE_CHECKING:
    from dlfix.project.project import Project

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2] / "golden"


@dataclass(frozen=True)
class Case:
    """One folder `golden/<codemod>/<case>`."""

    folder: Path

    @property
    def name(self) -> str:
        return f"{self.codemod}/{self.folder.name}"

    @property
    def codemod(self) -> str:
        return self.folder.parent.name

    @functools.cached_property
    def declared(self) -> Mapping[str, Any]:
        return tomllib.loads((self.folder / "case.toml").read_text(encoding="utf-8"))

    @property
    def rule(self) -> str:
        """The code that must be found by this Python: `rule`, or what `rule_since` says from a version on."""
        since: Mapping[str, str] = self.declared.get("rule_since", {})
        versions = {tuple(map(int, version.split("."))): code for version, code in since.items()}
        known = [version for version in versions if version <= sys.version_info[:2]]
        return versions[max(known)] if known else str(self.declared["rule"])

    @property
    def before(self) -> Path:
        return self.folder / "before"

    @property
    def after(self) -> Path:
        return self.folder / "after"

    @property
    def entry(self) -> str:
        return str(self.declared.get("entry", "main.py"))

    @property
    def is_notebook(self) -> bool:
        return self.entry.endswith(".ipynb")

    @property
    def stays(self) -> bool:
        """Whether nothing may change: the fix is refused, there is none, or nothing is wrong."""
        return any(key in self.declared for key in ("refused", "reported", "clean"))


def all_cases() -> list[Case]:
    """Return every golden case, in order of name."""
    return [Case(path.parent) for path in sorted(ROOT.glob("*/*/case.toml"))]


def sources(folder: Path) -> dict[str, bytes]:
    """Return the bytes of a program's files."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def project_of(folder: Path) -> Project:
    """Return a program's project, notebooks included."""
    from dlfix.project.project import Project
    from dlfix.source.notebook import parse

    books = {path: parse(path, path.read_bytes()).text for path in folder.rglob("*.ipynb")}
    return Project(sorted([*folder.rglob("*.py"), *books]), books)


def rewritten(folder: Path, *, unsafe: bool, prefer: str = "lazy") -> Rewritten:
    """Rewrite a program in memory, as `dlfix apply` does."""
    from dlfix.catalog import load
    from dlfix.fixing.engine import rewrite
    from dlfix.rules.registry import all_rules

    return rewrite(project_of(folder), load(), all_rules(), unsafe=unsafe, prefer=lambda _: prefer)


def diagnosed(folder: Path) -> list[Diagnosis]:
    """Inspect a program, as `dlfix check` does."""
    from dlfix.catalog import load
    from dlfix.fixing.engine import inspect
    from dlfix.reach.analysis import analyze
    from dlfix.rules.registry import all_rules

    return inspect(analyze(project_of(folder), load()), all_rules())


def as_bytes(folder: Path, result: Rewritten) -> dict[str, bytes]:
    """Return all files of a program as a rewrite leaves them."""
    from dlfix.source.notebook import is_notebook, parse

    files = sources(folder)
    for path, text in result.texts.items():
        if is_notebook(path):
            made = parse(path, path.read_bytes()).rewritten(text)
        else:
            made = read(path).encode(text) if path.exists() else text.encode()
        files[path.relative_to(folder).as_posix()] = made
    return files


def diff(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> str:
    """Show what differs between two programs."""
    told: list[str] = []
    for name in sorted(before.keys() | after.keys()):
        old, new = (files.get(name, b"").decode("utf-8", "replace") for files in (before, after))
        told += difflib.unified_diff(
            old.splitlines(keepends=True), new.splitlines(keepends=True), name, name
        )
    return "".join(line if line.endswith("\n") else line + "\n" for line in told)


def write(folder: Path, files: Mapping[str, bytes]) -> None:
    """Make a folder hold just these files."""
    for name in sources(folder).keys() - files.keys() if folder.exists() else ():
        (folder / name).unlink()
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
