"""Text of other people's on terminals and in logs: nothing in it acts on what shows it."""

from __future__ import annotations

import os
import re
from pathlib import Path

# C0 and C1 controls, separators that end lines, marks that change the direction of a line, tags,
# and surrogates (bytes of a file name that is not UTF-8).
_ACTIVE = "\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e007f\ud800-\udfff"
_CONTROL = re.compile(f"[{_ACTIVE}]")
_CONTROL_IN_BLOCK = re.compile(f"(?!\n)[{_ACTIVE}]")
# What GitHub's runner takes for a command, at a line's start or anywhere in it.
_COMMAND = re.compile(r"(?<!\S):(?=:)|#(?=#\[)")
_SURROGATE = re.compile("[\ud800-\udfff]")


def visible(text: object) -> str:
    """Return a name, a path or a message on one line, control characters as escapes.

    `::error::` at the start of a word is no longer a command of a CI runner.
    """
    return _COMMAND.sub(_escape, _CONTROL.sub(_escape, str(text)))


def visible_block(text: str) -> str:
    """Return a text of several lines with all control characters but newlines as escapes."""
    return _CONTROL_IN_BLOCK.sub(_escape, text)


def visible_code(line: str) -> str:
    """Return a line of source, which stands behind a margin, with its tabs expanded."""
    return visible_block(line.expandtabs(4)).replace("##[", "#\\x23[").replace("\n", "\\n")


def encodable(text: str) -> str:
    """Return a text without lone surrogates, which no encoding of Unicode holds."""
    return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)


def json_text(value: object) -> str:
    """Return data as JSON that nothing on its way acts on: no lone surrogate, no `##[`."""
    import json

    return json.dumps(encodable_data(value), indent=2).replace("##[", "#\\u0023[") + "\n"


def encodable_data(value: object) -> object:
    """Return data for JSON with all its texts encodable."""
    if isinstance(value, str):
        return encodable(value)
    if isinstance(value, dict):
        return {encodable_data(key): encodable_data(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [encodable_data(one) for one in value]
    return value


def uri_path(path: str) -> str:
    """Return a path as part of a URI: the bytes of its name, percent-encoded."""
    from urllib.parse import quote

    return quote(os.fsencode(path))


def patch_name(side: str, path: Path | str) -> bytes:
    """Return a name for the head of a patch, quoted as git does where it has to be."""
    raw = os.fsencode(f"{side}/{path}")
    if not re.search(rb'[\x00-\x1f\x7f"\\]', raw):
        return raw
    quoted = re.sub(rb'[\x00-\x1f\x7f-\xff"\\]', lambda found: b"\\%03o" % found[0][0], raw)
    return b'"%b"' % quoted


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    if 0xDC80 <= code <= 0xDCFF:
        code -= 0xDC00  # the byte that it stands for
    if found[0] in "\n\r\t":
        return {"\n": "\\n", "\r": "\\r", "\t": "\\t"}[found[0]]
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
