"""Texts that are known: what their methods give, and the parts of a URL."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from dlfix.reach.values import (
    Arguments,
    Constant,
    ExternalCall,
    Frame,
    Reached,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from dlfix.reach.evaluator import Evaluator

OF_TEXT = frozenset(
    {"split", "rsplit", "partition", "rpartition", "strip", "lstrip", "rstrip", "lower", "upper", "casefold",
     "removeprefix", "removesuffix", "replace", "startswith", "endswith"}
)  # fmt: skip
PARSERS = frozenset({"urllib.parse.urlparse", "urllib.parse.urlsplit"})
PARSED = "urllib.parse.ParseResult"
_PARTS = ("scheme", "netloc", "path", "query", "fragment")
_LONGEST = 10_000  # characters


def by_method(text: str, node: ast.Call, frame: Frame, evaluator: Evaluator) -> Value:
    """Return what `text.rpartition(".")` gives, where its arguments are known."""
    given = [evaluator.values_at(argument, frame) for argument in node.args]
    known = [v[0].value for v in given if len(v) == 1 and isinstance(v[0], Constant)]
    if len(known) < len(given) or node.keywords or not isinstance(node.func, ast.Attribute):
        return Unknown()
    try:
        result = getattr(text, node.func.attr)(*known)
    except (TypeError, ValueError):  # as the program will find out
        return Unknown()
    if isinstance(result, (str, bool)):
        return Constant(result) if len(str(result)) <= _LONGEST else Unknown()
    kind = "tuple" if isinstance(result, tuple) else "list"
    parts = enumerate(map(Constant, result))
    return evaluator.displays.new(kind, parts, node, frame, text)


def parsed(
    name: str, arguments: Arguments, node: ast.Call, frame: Frame, evaluator: Evaluator
) -> Iterator[Reached]:
    """Yield what `urlparse(url)` gives: an object of the parts, where the text is known."""
    for value in evaluator.values(arguments.get(0, "url")) or [Unknown()]:
        parts = _parts(value.value) if isinstance(value, Constant) else None
        if parts is None:
            yield Reached(evaluator.calls.external_call(name, arguments, node, frame))
            continue
        made = ExternalCall(PARSED, node, frame, Arguments((), parts))
        yield Reached(evaluator.calls.made(node, frame, lambda made=made: made, value))  # type: ignore[misc]


def _parts(url: object) -> dict[str, Constant] | None:
    try:
        found = urlsplit(url) if isinstance(url, str) else None
    except ValueError:
        return None
    return None if found is None else {name: Constant(getattr(found, name)) for name in _PARTS}
