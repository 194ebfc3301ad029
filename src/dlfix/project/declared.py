"""Objects that files other than Python name: `_target_` in YAML, entry points in packaging files."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from dlfix.project.roots import PACKAGING, packaging_text
from dlfix.source import seen
from dlfix.source.text import SourceError, contents

TARGET = "_target_"
_PARTIAL = "_partial_"
_SUFFIXES = (".yaml", ".yml")
_MOST_FOLDERS, _MOST_FILES, _MOST_BYTES = 2_000, 400, 200_000
_NO_SETTINGS = frozenset({"node_modules", "site-packages", "__pycache__", "venv", "env", "build"})
_LINE = re.compile(r"([ ]*)((?:-[ ]+)*)(?:([\w.@/-]+)[ ]*:(?:[ ]+(.*))?)?$")
_DOTTED = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)+")
_SCALARS = {"true": True, "false": False, "null": None, "~": None, "": None}
_ITEM = "-"

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
    arguments: tuple[tuple[str, Target | str | float | None], ...] = ()
    is_partial: bool = False


@dataclass(frozen=True)
class EntryPoint:
    """A line of a packaging file: an object of a module, under a name of a group."""

    group: str
    name: str
    module: str
    attribute: str


@dataclass
class _Node:
    """A key of a YAML mapping, or an item of a list, with what is indented below it."""

    key: str
    indent: int
    value: str = ""
    below: list[_Node] = field(default_factory=list)

    def get(self, key: str) -> str | None:
        return next((each.value for each in self.below if each.key == key), None)


def targets(top: Path) -> Iterator[Target]:
    """Yield the objects that the YAML files below a folder name."""
    for path in _settings(top):
        try:
            text = contents(path, _MOST_BYTES).decode("utf-8", "replace")
        except SourceError:
            continue
        if TARGET in text:
            own = frozenset({path.stem, path.parent.name})
            yield from _targets(_read(text), own)


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


def _settings(top: Path) -> Iterator[Path]:
    """Yield the YAML files below a folder, as many as are read."""
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
                    folders += [path] if len(folders) < _MOST_FOLDERS else []
            elif path.suffix in _SUFFIXES and files < _MOST_FILES:
                files += 1
                yield path


def _read(text: str) -> _Node:
    """Return the keys of a YAML text by their indentation; what is no `key: value` is left out."""
    root = _Node("", -1)
    above = [root]
    for line in text.splitlines():
        match = _LINE.match(line.partition(" #")[0].rstrip())
        if match is None or not (match[2] or match[3]):
            continue
        indent = len(match[1])
        for _ in range(match[2].count(_ITEM)):
            _add(above, _Node(_ITEM, indent))
            indent += 2
        if match[3]:
            _add(above, _Node(match[3], indent, (match[4] or "").strip("\"' ")))
    return root


def _add(above: list[_Node], node: _Node) -> None:
    # the items of a list may stand as far left as its key
    while above[-1].indent >= node.indent and not (
        node.key == _ITEM and above[-1].indent == node.indent and above[-1].key != _ITEM
    ):
        above.pop()
    above[-1].below.append(node)
    above.append(node)


def _targets(node: _Node, keys: frozenset[str]) -> Iterator[Target]:
    target = _target(node, keys)
    if target is not None:
        yield target
    for below in node.below:
        yield from _targets(below, keys if below.key == _ITEM else frozenset({below.key}))


def _target(node: _Node, keys: frozenset[str]) -> Target | None:
    name = node.get(TARGET)
    if name is None or not _DOTTED.fullmatch(name):
        return None
    given = [
        (each.key, _target(each, frozenset({each.key})) or _scalar(each.value))
        for each in node.below
        if each.key not in (TARGET, _PARTIAL, _ITEM)
        and (each.value or each.get(TARGET))
        and not each.value.startswith(("$", "[", "{", "&", "*", "|", ">"))
    ]
    return Target(keys, name, tuple(given), _scalar(node.get(_PARTIAL) or "") is True)


def _scalar(text: str) -> str | float | None:
    if text.lower() in _SCALARS:
        return _SCALARS[text.lower()]
    try:
        return int(text)
    except ValueError:
        return text
