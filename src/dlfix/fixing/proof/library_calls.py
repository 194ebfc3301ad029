"""What a function of a library does with its arguments: which of them name files that it writes."""

from __future__ import annotations

import ast

from dlfix.catalog import FunctionRow


def files_written(row: FunctionRow, node: ast.Call) -> list[ast.expr]:
    """Return the arguments of a call that name what a function writes."""
    given = [*node.args, *(each.value for each in node.keywords)]
    unpacked = any(isinstance(each, ast.Starred) for each in node.args) or any(
        each.arg is None for each in node.keywords
    )
    if not row.files or unpacked:
        return given
    by_place = zip(row.parameters, node.args, strict=False)
    passed = [*by_place, *((each.arg or "", each.value) for each in node.keywords)]
    return [value for name, value in passed if name in row.files]


def only_reads(row: FunctionRow | None, node: ast.Call, given: ast.expr) -> bool:
    """Return whether a call of a function that writes a file gets an argument as the data that is written."""
    return row is not None and bool(row.files) and given not in files_written(row, node)


__all__ = ["files_written", "only_reads"]
