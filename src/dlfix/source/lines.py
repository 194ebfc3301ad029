"""Lines as Python counts them: form feeds and Unicode's separators end none."""

from __future__ import annotations

import re

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")


def split(text: str) -> list[str]:
    """Return the lines of a text, each with its ending."""
    return _LINE.findall(text)


def bare(text: str) -> list[str]:
    """Return the lines of a text without their endings."""
    return [line.rstrip("\r\n") for line in split(text)]
