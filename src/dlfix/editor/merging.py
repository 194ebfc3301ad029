"""An editor's definition put into a file that is there already: added to, never written over."""

from __future__ import annotations

import json
from typing import Any

# By which member two entries of a list are the same.
KEYS = ("label", "id", "name", "repo")


class CannotMerge(Exception):
    """The file must be edited by hand; the message says why."""


def merged(old: str, definition: str, file: str) -> str:
    """Return a file's text with the definition in it; the same text where it is there already."""
    if not old.strip():
        return definition
    if definition in old:
        return old
    if file.endswith((".json", ".sublime-settings")):
        return _json(old, definition)
    if file.endswith(".xml"):
        return _xml(old, definition)
    if file.endswith((".yaml", ".yml")):
        return _yaml(old, definition)
    if file.endswith((".toml", ".lua", ".el")):
        return _appended(old, definition)
    raise CannotMerge("exists, and dlfix does not know how to add to it")


def _json(old: str, definition: str) -> str:
    try:
        tables = json.loads(old), json.loads(definition)
    except ValueError as error:
        raise CannotMerge("exists and is not plain JSON (it may have comments)") from error
    indent = "\t" if "\n\t" in old else 2
    return json.dumps(_joined(*tables), indent=indent, ensure_ascii=False) + "\n"


def _joined(old: Any, new: Any) -> Any:
    """Return what is there with what is new besides; what is there counts where both differ."""
    if isinstance(old, dict) and isinstance(new, dict):
        both = {key: _joined(old[key], new[key]) if key in new else old[key] for key in old}
        return both | {key: value for key, value in new.items() if key not in old}
    if isinstance(old, list) and isinstance(new, list):
        there = [_name(one) for one in old]
        return old + [one for one in new if one not in old and _name(one) not in there]
    if type(old) is not type(new):
        raise CannotMerge("exists with another structure")
    return old


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
        raise CannotMerge(f"exists and is not XML: {error}") from error
    if there.tag != new.tag:
        raise CannotMerge(f"exists and holds a <{there.tag}>, not a <{new.tag}>")
    if there.tag == "project":
        raise CannotMerge("exists; add the watcher in the settings instead")
    names = {(one.tag, _named(one)) for one in there}
    added = [one for one in new if (one.tag, _named(one)) not in names]
    if not added:
        return old
    inner = "".join(ET.tostring(one, encoding="unicode").rstrip() + "\n" for one in added)
    indented = "".join(f"  {line}\n" if line == inner.split("\n")[0] else f"{line}\n"
                       for line in inner.splitlines())  # fmt: skip
    end = old.rfind(f"</{there.tag}")
    if end < 0:
        raise CannotMerge(f"exists with an empty <{there.tag}/>")
    return old[:end].rstrip(" ") + indented + old[end:]


def _named(entry: Any) -> str | None:
    name: str | None = entry.get("name")
    if name is None:
        option = entry.find("./option[@name='name']")
        name = None if option is None else option.get("value")
    return name


def _yaml(old: str, definition: str) -> str:
    """Put the hook at the end of the list of repositories."""
    head, _, entry = definition.partition("repos:\n")
    if head or "repos:" not in old:
        raise CannotMerge("exists without a list `repos:`")
    lines = old.rstrip("\n").splitlines()
    below = lines[lines.index("repos:") + 1 :] if "repos:" in lines else [""]
    others = [line for line in below if line.strip() and not line.lstrip().startswith("#")]
    if not others or any(line[0] not in " -" for line in others):
        raise CannotMerge("exists, and its list `repos:` is not at the end")
    margin = len(others[0]) - len(others[0].lstrip(" "))
    if "id: dlfix" in old:
        return old
    moved = [(" " * margin + line[2:]).rstrip() for line in entry.splitlines()]
    return "\n".join([*lines, *moved]) + "\n"


def _appended(old: str, definition: str) -> str:
    mark = next(line for line in definition.splitlines() if line.strip())
    if mark in old.splitlines():
        raise CannotMerge(f"exists and has `{mark}` already")
    return old.rstrip("\n") + "\n\n" + definition
