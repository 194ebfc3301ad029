"""The table of messages: what Python, torch and libraries print, and what it means."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import dlfix.catalog

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # type: ignore[import-not-found,unused-ignore]

RANKS = {"cause": 3, "child": 2, "wrapper": 1}


@dataclass(frozen=True, slots=True)
class Message:
    """A row: the text it knows, and what that means."""

    pattern: re.Pattern[str]
    rank: int
    code: str
    happened: str
    why: str
    example: str


@dataclass(frozen=True, slots=True)
class Meaning:
    """A message that was met, its sentences filled in."""

    code: str
    happened: str
    why: str
    rank: int
    text: str  # what matched
    name: str  # of the function, class or type it names
    module: str = ""  # where it says that name is


@dataclass(frozen=True, slots=True)
class Table:
    """The rows, the types named in them, and how each rule's fix is asked for."""

    messages: tuple[Message, ...]
    types: tuple[dict[str, str], ...]
    fixes: dict[str, str]


@cache
def table() -> Table:
    """Return the table, read once."""
    path = Path(dlfix.catalog.__file__).with_name("messages.toml")
    data: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    rows = tuple(_message(row) for row in data["message"])
    return Table(rows, tuple(data["type"]), data["fix"])


def _message(row: dict[str, str]) -> Message:
    return Message(
        re.compile(row["pattern"]),
        RANKS[row["rank"]],
        row["code"],
        row["happened"],
        row["why"],
        row["example"],
    )


def meanings(text: str) -> list[Meaning]:
    """Return what a text says, the first cause first; each row once."""
    found = []
    for row in table().messages:
        match = row.pattern.search(text)
        if match and not _is_quoted_code(text, match):
            found.append(_filled(row, match))
    found.sort(
        key=lambda meaning: -meaning.rank
    )  # stable: the table's order is from exact to vague
    return found


def _is_quoted_code(text: str, match: re.Match[str]) -> bool:
    """Return whether the match is a template in source code (`f"... (pid {x})"`), not a message."""
    return "{" in match.group() and "}" in match.group() and "cannot pickle" not in match.group()


def _filled(row: Message, match: re.Match[str]) -> Meaning:
    words = {key: value or "" for key, value in match.groupdict().items()}
    name = words.get("name") or words.get("type") or ""
    code = row.code
    if code == "type":
        code = _named_type(words)
    if "<locals>" in name:
        words["scope"] = name.rpartition(".<locals>")[0].replace(".<locals>", "")
        words["last"] = name.rpartition(".")[2]
    else:
        words["scope"] = name.rpartition(".")[0] or "a function"
    words["scope"] = words["scope"].replace("__main__.", "")
    if code == "local":
        code = _local(words)
    return Meaning(
        code,
        _format(row.happened, words),
        _format(row.why, words),
        row.rank,
        match.group(),
        name,
        words.get("module", "").strip("'"),
    )


def _named_type(words: dict[str, str]) -> str:
    """Look a type's name up, and add what is said of it."""
    name = words["type"].lstrip("_") if words["type"].startswith("_sqlite3") else words["type"]
    words["type"] = name
    row = next(row for row in table().types if re.search(row["pattern"], name))
    words.update(noun=row["noun"], help=row["help"])
    return row["code"]


def _local(words: dict[str, str]) -> str:
    """Tell a local class from a local function, as far as the text shows it."""
    is_class = words.get("kind") == "class" or words["last"][:1].isupper()
    words["local_noun"] = "a class defined" if is_class else "a function defined"
    return "DLF103" if is_class else "DLF102"


def _format(sentence: str, words: dict[str, str]) -> str:
    return re.sub(r"\{(\w+)\}", lambda m: words.get(m.group(1), ""), sentence)


def fix_of(code: str) -> str:
    """Return how a rule's fix is asked for: safe, unsafe or report."""
    return table().fixes.get(code, "safe")
