"""Objects that files other than Python name: `_target_` in YAML, entry points in packaging files."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dlfix.project.roots import PACKAGING, packaging_text
from dlfix.source import seen
from dlfix.source.text import SourceError, contents

if TYPE_CHECKING:
    from yaml import Node

TARGET = "_target_"
_PARTIAL = "_partial_"
_YAML = (".yaml", ".yml")
_SETTINGS = (*_YAML, ".json", ".toml")
_MOST_OF_SETTINGS = 50_000  # bytes: a longer file holds data
_MOST_FOLDERS, _MOST_FILES, _MOST_BYTES = 5_000, 2_000, 200_000
_NO_SETTINGS = frozenset({"node_modules", "site-packages", "__pycache__", "venv", "env", "build"})
# a key whose value is a name: `collate: pad_batch`, `"dataset": "Rows",`, `loader = "rows.Rows"`
_NAMED = re.compile(
    r"""(?:^|[{,])[ \t-]*["']?([^\W\d][\w-]*)["']?[ \t]*[:=]"""
    r"""[ \t]*["']?(?:[^\W\d]\w*\.)*([^\W\d]\w*)["']?[ \t]*(?=[,}#\r\n]|$)""",
    re.MULTILINE,
)
_DOTTED = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)+")
_UNKNOWN = object()

# `name = package.module:attribute`, in quotes, in brackets or plain, as packaging files write it
_ENTRY = re.compile(r"""["']?([\w.-]+)["']?\s*=\s*["']?([\w.]+):([\w.]+)""")
_GROUP = re.compile(
    r"""^\[project\.entry-points\.["']?([\w.-]+)["']?\]"""  # pyproject.toml
    r"""|^\[tool\.poetry\.plugins\.["']?([\w.-]+)["']?\]"""
    r"""|^([\w.-]+)\s*=\s*$"""  # setup.cfg
    r"""|["']([\w.-]+)["']\s*:\s*\[""",  # setup.py
    re.MULTILINE,
)


@dataclass(frozen=True)
class Target:
    """An object that a YAML file says to make: the keys it stands under, and what it is made of."""

    keys: frozenset[str]
    name: str
    arguments: tuple[tuple[str, object], ...] = ()  # a target each, or a plain value
    is_partial: bool = False


@dataclass(frozen=True)
class EntryPoint:
    """A line of a packaging file: an object of a module, under a name of a group."""

    group: str
    name: str
    module: str
    attribute: str


def targets(top: Path, cut_short: Callable[[], None]) -> Iterator[Target]:
    """Yield the objects that the YAML files below a folder name; `cut_short` is called where there are more."""
    for path in _settings(top, _YAML, cut_short):
        text = _text(path, _MOST_BYTES)
        if TARGET in text:
            own = frozenset({path.stem, path.parent.name})
            yield from _read(text, own)


def names_by_key(top: Path) -> dict[str, frozenset[str]]:
    """Return the names that the configuration files below a folder give as values, by their keys."""
    found: dict[str, set[str]] = {}
    for path in _settings(top, _SETTINGS, lambda: None):  # they only tell which name is likely
        for key, name in _NAMED.findall(_text(path, _MOST_OF_SETTINGS)):
            found.setdefault(key.replace("-", "_"), set()).add(name)
    return {key: frozenset(names) for key, names in found.items()}


def _text(path: Path, most: int) -> str:
    """Return the text of a file; none of one that cannot be read, or is longer than that."""
    try:
        return contents(path, most).decode("utf-8", "replace")
    except SourceError:
        return ""


def entry_points(folder: Path) -> Iterator[EntryPoint]:
    """Yield the entry points that the packaging files of a folder declare."""
    for name in PACKAGING:
        text = packaging_text(folder / name)
        starts = list(_GROUP.finditer(text))
        for start, after in zip(starts, [*starts[1:], None], strict=True) if starts else ():
            group = next(each for each in start.groups() if each)
            part = text[start.end() : after.start() if after is not None else len(text)]
            for entry in _ENTRY.findall(part):
                yield EntryPoint(group, *entry)


def _settings(
    top: Path, suffixes: tuple[str, ...], cut_short: Callable[[], None]
) -> Iterator[Path]:
    """Yield the files with some suffixes below a folder, as many as are read."""
    folders, files = [top], 0
    for folder in folders:
        try:
            with os.scandir(folder) as scan:
                entries = sorted(scan, key=lambda entry: entry.name)
        except OSError:
            seen.listed(folder, None)
            continue
        seen.listed(folder, entries)
        for entry in entries:
            path = Path(entry.path)
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in _NO_SETTINGS and not entry.name.startswith("."):
                    if len(folders) < _MOST_FOLDERS:
                        folders.append(path)
                    else:
                        cut_short()
            elif path.suffix in suffixes:
                if files == _MOST_FILES:
                    return cut_short()
                files += 1
                yield path


def _read(text: str, own: frozenset[str]) -> list[Target]:
    """Return the targets of a YAML text; none where it is no YAML, or nested too deeply."""
    import yaml  # only for projects whose YAML files name objects

    try:
        documents = yaml.compose_all(text, Loader=yaml.SafeLoader)  # nodes: nothing is made of them
        return [target for each in documents if each is not None for target in _targets(each, own)]
    except (yaml.YAMLError, RecursionError):
        return []


def _targets(document: Node, own: frozenset[str]) -> Iterator[Target]:
    """Yield the targets of a document, those of a node that has aliases once."""
    waiting, met = [(document, own)], set[int]()
    for node, keys in waiting:  # grows while it is read
        if id(node) in met:
            continue
        met.add(id(node))
        target = _target(node, keys, set())
        if target is not None:
            yield target
        waiting += [(each, keys) for each in node.value if _kind(node) == "seq"]
        waiting += [(each, frozenset({key})) for key, each in _entries(node).items()]


def _entries(node: Node) -> dict[str, Node]:
    """Return the values of a mapping by its plain keys; nothing of another node."""
    pairs = node.value if _kind(node) == "map" else ()
    return {key.value: value for key, value in pairs if _kind(key) == "str"}


def _kind(node: Node) -> str:
    """Return which type of YAML a node is: "map", "seq", "str", "int" ..."""
    return node.tag.rpartition(":")[2]


def _target(node: Node, keys: frozenset[str], met: set[int]) -> Target | None:
    """Return the target that a mapping is; what an alias names again within it is not known."""
    entries = _entries(node)
    name, partial = entries.pop(TARGET, None), entries.pop(_PARTIAL, None)
    if name is None or id(node) in met or not _DOTTED.fullmatch(str(name.value)):
        return None
    met.add(id(node))
    given = [
        (key, _target(each, frozenset({key}), met) or _plain(each)) for key, each in entries.items()
    ]
    known = tuple((key, value) for key, value in given if value is not _UNKNOWN)
    return Target(keys, name.value, known, partial is not None and _plain(partial) is True)


def _plain(node: Node) -> object:
    """Return the value of a scalar; `_UNKNOWN` for others, and for what other settings decide: `${seed}`."""
    match _kind(node):
        case "bool":
            return node.value.lower() in ("true", "yes", "on")
        case "null":
            return None
        case "int" if node.value.isdecimal():
            return int(node.value)
        case "str" if "${" not in node.value:
            return node.value
    return _UNKNOWN
