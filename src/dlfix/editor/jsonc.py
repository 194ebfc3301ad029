"""JSON with comments, as editors keep it: added to in place, so that comments and layout stay."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

_SPACE = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_SCALAR = re.compile(r'"(?:[^"\\\n]|\\.)*"|[^\s,:{}\[\]"/]+')


@dataclass
class Value:
    """A value and where it stands; a container has its members."""

    start: int
    end: int
    data: Any
    keys: list[str] = field(default_factory=list)  # of the members of an object
    members: list[Value] = field(default_factory=list)
    has_trailing_comma: bool = False


@dataclass(frozen=True)
class Addition:
    """New members of a container."""

    to: Value
    items: tuple[tuple[str | None, Any], ...]  # key and value; no key in a list


def read(text: str) -> Value:
    """Return the value of a document; raise ValueError where it is not one."""
    try:
        return _Reader(text).document()
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def added(text: str, additions: list[Addition]) -> str:
    """Return the text with new members at the end of containers."""
    edits = [edit for one in additions for edit in _edits(text, one)]
    edits.sort(key=lambda edit: edit[0])
    for at, new in reversed(edits):
        text = text[:at] + new + text[at:]
    return text


class _Reader:
    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0

    def document(self) -> Value:
        value = self._value()
        self._skip()
        if self.at != len(self.text):
            raise ValueError("more than one value")
        return value

    def _skip(self) -> str:
        """Go over blanks and comments; return the character after them."""
        found = _SPACE.match(self.text, self.at)
        self.at = found.end() if found else self.at
        return self.text[self.at : self.at + 1]

    def _value(self) -> Value:
        opening = self._skip()
        if opening == "{":
            found = self._container("}")
            values = [one.data for one in found.members]
            found.data = dict(zip(found.keys, values, strict=True))
            return found
        if opening == "[":
            found = self._container("]")
            found.data = [one.data for one in found.members]
            return found
        return self._scalar()

    def _scalar(self) -> Value:
        found = _SCALAR.match(self.text, self.at)
        if found is None:
            raise ValueError("no value")
        self.at = found.end()
        return Value(found.start(), found.end(), json.loads(found[0]))

    def _key(self) -> str:
        key = self._scalar().data
        if not isinstance(key, str) or self._skip() != ":":
            raise ValueError("no key")
        self.at += 1
        return key

    def _container(self, closing: str) -> Value:
        found = Value(self.at, 0, None)
        self.at += 1
        while self._skip() != closing:
            if found.members and not found.has_trailing_comma:
                raise ValueError("no comma")
            if closing == "}":
                found.keys.append(self._key())
            found.members.append(self._value())
            found.has_trailing_comma = self._skip() == ","
            self.at += found.has_trailing_comma
        self.at += 1
        found.end = self.at
        return found


def _edits(text: str, addition: Addition) -> Iterator[tuple[int, str]]:
    """Yield where what is put into the text for one container."""
    to = addition.to
    last = to.members[-1] if to.members else None
    is_one_line = "\n" not in text[to.start : to.end]
    if is_one_line and last and not any(isinstance(v, (dict, list)) for _, v in addition.items):
        comma = "" if to.has_trailing_comma else ","
        end = to.end - 1 - _blanks(text, to.end - 1)
        yield end, f"{comma} " + ", ".join(_text(item, "", "") for item in addition.items)
        return
    if last and not to.has_trailing_comma:
        yield last.end, ","
    unit = "\t" if "\n\t" in text else _first_margin(text) or "  "
    outer = _margin(text, to.start)
    inner = _margin(text, to.members[0].start) if last and not is_one_line else outer + unit
    lines = ",".join(f"\n{inner}{_text(item, inner, unit)}" for item in addition.items)
    yield to.end - 1 - _blanks(text, to.end - 1), lines + (f"\n{outer}" if is_one_line else "")


def _text(item: tuple[str | None, Any], margin: str, unit: str) -> str:
    key, value = item
    text = json.dumps(value, indent=unit or None, ensure_ascii=False).replace("\n", f"\n{margin}")
    return text if key is None else f"{json.dumps(key, ensure_ascii=False)}: {text}"


def _blanks(text: str, end: int) -> int:
    """Return how many blanks stand before a place."""
    return end - len(text[:end].rstrip())


def _margin(text: str, at: int) -> str:
    """Return the indentation of the line that a place is in."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip())]


def _first_margin(text: str) -> str:
    found = re.search(r"\n( +)\S", text)
    return found[1] if found else ""
