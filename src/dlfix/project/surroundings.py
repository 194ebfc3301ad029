"""The project around what a person named: a file is read with all that may lead to it.

What is found in a file does not depend on whether the file, its package or the project was named.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dlfix.source import seen

if TYPE_CHECKING:
    from dlfix.project.project import Project

MARKERS = ("pyproject.toml", "setup.cfg", "setup.py", ".git")
SUFFIXES = (".py", ".pyw")

# Lists the files below some folders, as configuration and .gitignore let them.
Walk = Callable[[Sequence[Path]], Sequence[Path]]

# An import statement; in parentheses, or with a backslash, over several lines.
_IMPORT = re.compile(
    rb"^[^\S\n]*(?:from\s[^\n]*?\bimport\s*\([^)]*\)|(?:from|import)\s(?:[^\n]*\\\r?\n)*[^\n]*)"
    rb"|;\s*(?:from|import)\s[^\n]*",
    re.MULTILINE,
)
_DOTTED = re.compile(r"[^\W\d][\w.]*")
_QUOTE = re.compile(rb'^\s*"', re.MULTILINE)
_STRING = re.compile(rb"[\"'](\.?[A-Za-z_]\w*(?:\.\w+)*)[\"']")
_COMPUTED = (b"import_module", b"__import__")  # of a module whose name is computed
_WORD = re.compile(rb"[A-Za-z_\x80-\xff][A-Za-z0-9_\x80-\xff]*")
_RELATIVE = re.compile(rb"\bfrom\s+\.")


@dataclass(frozen=True)
class Surroundings:
    """The files of the projects, and whether there are files without one, known by imports only."""

    files: tuple[Path, ...]
    loose: bool


def around(named: Iterable[Path], walk: Walk) -> Surroundings:
    """Return the projects of some files and folders.

    A project is the folder with the nearest of the markers, where its configuration does not leave the
    named path out; else the outermost package, and the scripts beside it; else, for a script, the
    scripts beside it and what they import. A plain folder without a marker above is a project of its own.
    """
    found: dict[Path, None] = {}
    walked: dict[Path, Sequence[Path]] = {}
    loose = False
    for path in named:
        root = _marked(path)
        is_plain = seen.is_dir(path) and not seen.is_file(path / "__init__.py")
        if root == path or (is_plain and root is None):
            continue
        if root is not None and root not in walked:
            walked[root] = walk([root])
        files = walked[root] if root is not None else ()
        if not any(file == path or path in file.parents for file in files):
            if is_plain:
                continue
            package = _package(path)
            loose = loose or package is None
            files = [*(walk([package]) if package is not None else ()), *_beside(package or path)]
        found.update(dict.fromkeys(files))
    return Surroundings(tuple(found), loose)


def _marked(path: Path) -> Path | None:
    """Return the nearest folder with a marker; the user's own and the top of the disk are none."""
    home = Path(os.path.expanduser("~"))  # raises nothing where there is none
    for folder in (path, *path.parents) if seen.is_dir(path) else path.parents:
        if folder in (home, Path(folder.anchor)):
            return None
        if any(seen.exists(folder / marker) for marker in MARKERS):
            return folder
    return None


def _package(path: Path) -> Path | None:
    """Return the outermost package that a path lies in."""
    folder = path if seen.is_dir(path) else path.parent
    found = None
    while seen.is_file(folder / "__init__.py") and folder != folder.parent:
        found, folder = folder, folder.parent
    return found


def _beside(path: Path) -> list[Path]:
    try:
        with os.scandir(path.parent) as scan:
            entries = list(scan)
        seen.listed(path.parent, entries)
        found = (Path(entry.path) for entry in entries if entry.is_file())
        return sorted(each for each in found if each.suffix in SUFFIXES)
    except OSError:
        seen.listed(path.parent, None)
        return []


def apart(files: Sequence[Path], read: Callable[[Path], bytes | None]) -> list[tuple[Path, ...]]:
    """Return the files of each project in a folder of projects; all in one where it is none.

    What is found in each is what is found where it is named alone.
    """
    top = Path(os.path.commonpath([path.parent for path in files])) if files else Path()
    groups: dict[str, list[Path]] = {}
    for path in files:
        groups.setdefault(path.relative_to(top).parts[0], []).append(path)
    is_folder_of_projects = (
        len(groups) > 1
        and _marked(top) is None
        and not any(seen.is_file(top / name) for name in groups)
        and not any(seen.is_file(top / name / "__init__.py") for name in groups)
    )
    if not is_folder_of_projects or _are_linked(top, groups, read):
        return [tuple(files)]
    return [tuple(group) for group in groups.values()]


def _are_linked(
    top: Path, groups: dict[str, list[Path]], read: Callable[[Path], bytes | None]
) -> bool:
    """Return whether a file of one project imports from another: `import other.tools`, `sys.path.append("../other")`."""
    names = b"|".join(re.escape(os.fsencode(name)) for name in groups)
    pattern = re.compile(
        rb"\b(?:from|import)\s+(%b)(?:\s*\.\s*(\w+)|\s+import\b\s*\(?\s*(\w+))" % names
    )
    quoted = re.compile(rb"[\"'](?:[\w./]*/)?(%b)/?[\"']" % names)
    for name, files in groups.items():
        for path in files:
            data = read(path) or b""
            if b"sys.path" in data and {*quoted.findall(data)} - {os.fsencode(name)}:
                return True
            for other, below, taken in pattern.findall(data):
                folder = top / os.fsdecode(other)
                part = (below or taken).decode(errors="replace")
                if other != os.fsencode(name) and (
                    seen.is_dir(folder / part) or seen.is_file(folder / f"{part}.py")
                ):
                    return True
    return False


def connected(
    named: Iterable[Path], project: Project, read: Callable[[Path], bytes | None]
) -> Iterator[Path]:
    """Yield the project's files that imports connect with the named ones, in either direction, near ones first.

    A value only comes from one file to another by imports. Where modules are imported by names that are
    computed, strings that are such names count. Only files that change `sys.path` are parsed.
    """
    links = _Links(project, read)
    pending = list(dict.fromkeys(named))
    seen = set(pending)
    for path in pending:
        yield path
        for other in links.of(path):
            if other not in seen:
                seen.add(other)
                pending.append(other)


def holds(data: bytes, words: frozenset[bytes]) -> bool:
    """Return whether a text holds one of some words."""
    return any(word in data for word in words) and not words.isdisjoint(_WORD.findall(data))


class _Links:
    def __init__(self, project: Project, read: Callable[[Path], bytes | None]) -> None:
        self._links: dict[Path, list[Path]] = {path: [] for path in project.files}
        names = {
            path.parent.name if path.stem == "__init__" else path.stem for path in project.files
        }
        found: dict[tuple[str, Path], Path | None] = {}
        quoted = any(word in (read(path) or b"") for path in project.files for word in _COMPUTED)
        for path in project.files:
            folder = path.parent
            for dotted in _modules(path, read(path) or b"", quoted=quoted):
                last = dotted.rpartition(".")[2]
                if last and last not in names:
                    continue
                key = (dotted, folder)
                if key not in found:
                    found[key] = _found(dotted, folder, project)
                other = found[key]
                if other is not None and other != path:
                    self._links[path].append(other)
                    self._links.setdefault(other, []).append(path)

    def of(self, path: Path) -> Iterator[Path]:
        yield from self._links.get(path, ())


def _found(dotted: str, folder: Path, project: Project) -> Path | None:
    name = dotted.lstrip(".")
    if name == dotted:
        return project.listed(dotted, folder)
    for _ in range(len(dotted) - len(name) - 1):
        folder = folder.parent
    base = folder.joinpath(*name.split("."))
    below = (base / "__init__.py", base.with_suffix(".py")) if name else (base / "__init__.py",)
    return next((each for each in below if project.lists(each)), None)


def _modules(path: Path, data: bytes, *, quoted: bool) -> Iterator[str]:
    """Yield the dotted names of what imports may lead to: modules, the packages they lie in, names in them.

    With `quoted`, strings may name modules, too.
    """
    if path.suffix == ".ipynb":
        data = _QUOTE.sub(b"", data.replace(b"\\n", b"\n"))
    found: dict[str, None] = {}
    for statement in _IMPORT.findall(data):
        text = statement.decode(errors="replace").lstrip("; \t\f")
        if text.startswith("from"):
            found.update(dict.fromkeys(_from(text)))
        else:
            found.update(dict.fromkeys(_DOTTED.findall(text)[1:]))
    if quoted:
        found.update(dict.fromkeys(name.decode() for name in _STRING.findall(data)))
    for dotted in found:
        name = dotted.lstrip(".")
        dots = dotted[: len(dotted) - len(name)]
        parts = name.split(".")
        yield from (dots + ".".join(parts[:end]) for end in range(1, len(parts) + 1))


def _from(text: str) -> Iterator[str]:
    base, _, names = text.partition("import")
    base = "".join(base.removeprefix("from").split())
    dot = "" if base.endswith(".") else "."
    yield base
    yield from (base + dot + name for name in _DOTTED.findall(names))


def imported(path: Path, data: bytes) -> frozenset[bytes]:
    """Return the words of a file's imports; a relative one names the packages it lies in."""
    statements = _IMPORT.findall(data)
    words = {word for statement in statements for word in _WORD.findall(statement)}
    if any(_RELATIVE.search(statement) for statement in statements):
        words.update(folder.name.encode() for folder in path.parents if folder.name)
    return frozenset(words - {b"from", b"import", b"as"})
