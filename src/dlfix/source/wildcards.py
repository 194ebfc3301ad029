"""Patterns of file names, matched in bounded time: `*a*a*a*a*b` would be tried in all ways there are."""

from __future__ import annotations

import re

_STAR = "[^/]*"
_ONE = re.compile(
    r"\\.|\[(?:\\.|[^\]\\])+\]|[^\\\[\]/(){}*+?|^$.]", re.DOTALL
)  # what one character matches


def in_one_try(pattern: re.Pattern[str]) -> re.Pattern[str]:
    """Return a pattern of pathspec that takes the first place where what is between two stars fits.

    Should the rest not fit then, no later place would help: stars of one name are followed by texts
    of fixed lengths, and another star comes after them.
    """
    first, *rest = pattern.pattern.split(_STAR)
    if len(rest) < 2:
        return pattern
    made = [first]
    for number, text in enumerate(rest[:-1]):
        if not text:
            continue  # two stars in a row are one
        if _has_fixed_length(text):
            made.append(f"(?=(?P<star_{number}>{_STAR}?{text}))(?P=star_{number})")
        else:
            made += [_STAR, text]
    return re.compile("".join([*made, _STAR, rest[-1]]), pattern.flags)


def _has_fixed_length(text: str) -> bool:
    """Return whether a text is a row of characters, none of which may be a `/`."""
    at = 0
    while at < len(text):
        found = _ONE.match(text, at)
        if found is None or re.fullmatch(found[0], "/"):
            return False
        at = found.end()
    return True
