"""An editor's definition put into a file that is there already: added to, never written over."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from dlfix.editor import jsonc

# By which member two entries of a list are the same.
KEYS = ("label", "id", "name", "repo")
_TASKS = "ProjectTasksOptions"  # where PyCharm keeps file watchers


class CannotMerge(Exception):
    """The file must be edited by hand; the message says why."""


def merged(old: str, definition: str, file: str) -> str:
    """Return a file's text with the definition in it; the same text where it is there already."""
    if not old.strip():
        return definition
    if "\r\n" in old:
        return merged(old.replace("\r\n", "\n"), definition, file).replace("\n", "\r\n")
    if definition in old:
        return old
    if file.endswith((".json", ".jsonc", ".sublime-settings")):
        return _json(old, definition)
    if file.endswith(".xml"):
        return _xml(old, definition)
    if file.endswith((".yaml", ".yml")):
        return _yaml(old, definition)
    if file.endswith(".toml") and re.search(r'name\s*=\s*"python"', old):
        raise CannotMerge("the file exists and already defines the language `python`")
    if file.endswith((".toml", ".lua", ".el")):
        return _appended(old, definition)
    raise CannotMerge("the file exists, but dlfix cannot merge into this file format")


def _json(old: str, definition: str) -> str:
    try:
        there = jsonc.read(old)
    except ValueError as error:
        raise CannotMerge("the file exists but is not valid JSON") from error
    return jsonc.added(old, list(_additions(there, json.loads(definition))))


def _additions(old: jsonc.Value, new: Any) -> Iterator[jsonc.Addition]:
    """Yield what is new and not there; what is there counts where both differ."""
    if type(old.data) is not type(new):
        raise CannotMerge("the file exists but has a different structure")
    items: list[tuple[str | None, Any]] = []
    if isinstance(new, dict):
        members = dict(zip(old.keys, old.members, strict=True))
        items = [(key, value) for key, value in new.items() if key not in members]
        for key in filter(members.__contains__, new):
            yield from _additions(members[key], new[key])
    elif isinstance(new, list):
        names = [_name(one) for one in old.data]
        items = [(None, o) for o in new if o not in old.data and _name(o) not in names]
    if items:
        yield jsonc.Addition(old, tuple(items))


def _name(entry: Any) -> object:
    if not isinstance(entry, dict):
        return object()
    return next((entry[key] for key in KEYS if key in entry), None) or object()


def _xml(old: str, definition: str) -> str:
    """Put the tools into the set that is there."""
    import xml.etree.ElementTree as ET

    try:
        there, new = ET.fromstring(old), ET.fromstring(definition)
    except ET.ParseError as error:
        raise CannotMerge(f"the file exists but is not valid XML: {error}") from error
    if there.tag != new.tag:
        raise CannotMerge(
            f"the file exists, but its root element is <{there.tag}> instead of <{new.tag}>"
        )
    end = f"</{there.tag}>"
    if there.tag == "project":  # tasks lie in a component of it
        there, new = _tasks(there), _tasks(new)
        end = "</component>"
    names = {(one.tag, _named(one)) for one in there}
    added = [one for one in new if (one.tag, _named(one)) not in names]
    if not added:
        return old
    margin = "  " if end == "</component>" else ""
    inner = "".join(f"{margin}  {ET.tostring(one, encoding='unicode').strip()}\n" for one in added)
    at = old.rfind(end) if not margin else old.find(end, old.find(_TASKS))
    if at < 0:
        raise CannotMerge(f"the file exists, but <{there.tag}/> is empty")
    return old[:at].rstrip(" ") + inner + margin + old[at:]


def _tasks(project: Any) -> Any:
    found = project.find(f"./component[@name='{_TASKS}']")
    if found is None:
        raise CannotMerge(f"the file exists but has no component {_TASKS}")
    return found


def _named(entry: Any) -> str | None:
    name: str | None = entry.get("name")
    option = entry.find("./option[@name='name']")
    return option.get("value") if name is None and option is not None else name


def _yaml(old: str, definition: str) -> str:
    """Put the hook at the end of the list of repositories."""
    head, _, entry = definition.partition("repos:\n")
    lines = old.rstrip("\n").splitlines()
    if head or "repos:" not in lines:
        raise CannotMerge("the file exists but has no `repos` list")
    if "id: dlfix" in old:
        return old
    start = lines.index("repos:") + 1
    following = (
        i for i in range(start, len(lines)) if lines[i].strip() and lines[i][0] not in " -#"
    )
    end = next(following, len(lines))
    while not lines[end - 1].strip() or lines[end - 1].startswith("#"):  # of what follows
        end -= 1
    entries = [line for line in lines[start:end] if line.lstrip().startswith("-")]
    margin = len(entries[0]) - len(entries[0].lstrip(" ")) if entries else 2
    moved = [(" " * margin + line[2:]).rstrip() for line in entry.splitlines()]
    return "\n".join([*lines[:end], *moved, *lines[end:]]) + "\n"


def _appended(old: str, definition: str) -> str:
    mark = next(line for line in definition.splitlines() if line.strip())
    if mark in old.splitlines():
        raise CannotMerge(f"the file exists and already contains `{mark}`")
    return old.rstrip("\n") + "\n\n" + definition
