"""Formats of files: what a library has opened as a database or an archive, nobody writes as text or as an image."""

from __future__ import annotations

import ast
from collections.abc import Collection

from dlfix.catalog import load
from dlfix.fixing.proof.at_stake import imports_of, spelled_out
from dlfix.fixing.proof.late_code import modes_given, opens_to_write
from dlfix.fixing.proof.syntax import last_part
from dlfix.project.module import Module

_TEXT = "text"
_OPENERS = frozenset("open io.open builtins.open codecs.open".split())


def formats_opened(module: Module, opened: Collection[ast.Call]) -> frozenset[str]:
    """Return the formats of the files that some calls open; empty where one may open any file."""
    names = [imports_of(module.tree).full_name(call.func) for call in opened]
    rows = [row for name in names if (row := load().resource(name)) is not None]
    formats = frozenset(row.format for row in rows)
    return frozenset() if "" in formats else formats


def format_written(module: Module, written: ast.Call) -> str:
    """Return the format of the file that a call writes; empty where it is not known, or the call writes none."""
    node = spelled_out(written, imports_of(module.tree))
    name = ast.unparse(node.func)
    if name in _OPENERS:
        is_binary = any("b" in mode for mode in modes_given(node))
        return _TEXT if opens_to_write(node) and not is_binary else ""
    if last_part(node.func) == "write_text":
        return _TEXT
    row = load().function(name)
    if row is None and isinstance(node.func, ast.Attribute):
        row = load().methods_of_files.get(node.func.attr)
    return row.format if row is not None and row.does == "writes" else ""


__all__ = ["format_written", "formats_opened"]
