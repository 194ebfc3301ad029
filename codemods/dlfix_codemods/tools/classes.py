"""Methods of classes: found, added, changed, with the blank lines the class uses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import libcst as cst

from dlfix.fixing.rendering import code_of
from dlfix.source.lines import bare
from dlfix.source.text import Span
from dlfix_codemods.tools import positions


def at(module: cst.Module, span: Span) -> cst.ClassDef:
    """Return the class statement at a span."""
    return cast(cst.ClassDef, positions.find(module, [span], cst.ClassDef)[span])


def body(node: cst.ClassDef) -> list[cst.BaseStatement]:
    """Return the statements of a class that is written as an indented block."""
    if not isinstance(node.body, cst.IndentedBlock):
        raise positions.NotFoundError(f"class {node.name.value} has no block")
    return list(node.body.body)


def method_index(statements: Sequence[cst.BaseStatement], name: str) -> int | None:
    """Return where a method stands among a class's statements."""
    for index, statement in enumerate(statements):
        if isinstance(statement, cst.FunctionDef) and statement.name.value == name:
            return index
    return None


def with_body(
    module: cst.Module, node: cst.ClassDef, statements: Sequence[cst.BaseStatement]
) -> cst.Module:
    """Return the module with other statements in a class."""
    return module.with_deep_changes(node.body, body=list(statements))


def statements(module: cst.Module, code: str) -> list[cst.BaseStatement]:
    """Parse statements in the file's own indentation; `code` is indented by four columns."""
    config = cst.parse_module(_reindented(code, module.default_indent)).body
    return list(config)


def quoted(module: cst.Module, text: str) -> str:
    """Quote strings in a text as the file mostly does."""
    code = code_of(module)
    single = code.count("'") > code.count('"') and "'" not in text
    return text.replace('"', "'") if single else text


def methods(module: cst.Module, code: str) -> list[cst.BaseStatement]:
    """Parse methods that are to stand below others: each has a blank line above."""
    blank = cst.EmptyLine(indent=False)
    parsed = statements(module, code)
    return [
        statement.with_changes(
            leading_lines=[blank, *(line for line in leading_lines(statement) if line.comment)]
        )
        for statement in parsed
    ]


def leading_lines(statement: cst.BaseStatement) -> Sequence[cst.EmptyLine]:
    """Return the comments and blank lines above a statement."""
    if isinstance(statement, cst.SimpleStatementLine | cst.FunctionDef | cst.ClassDef):
        return statement.leading_lines
    return cast(Sequence[cst.EmptyLine], getattr(statement, "leading_lines", ()))


def _reindented(code: str, indent: str) -> str:
    lines = []
    for line in bare(code):
        stripped = line.lstrip(" ")
        lines.append(indent * ((len(line) - len(stripped)) // 4) + stripped)
    return "\n".join(lines) + "\n"
