"""Imports: added once, in the file's own style and order."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import libcst as cst

from dlfix.fixing import naming
from dlfix.fixing.rendering import code_of

Import = cst.Import | cst.ImportFrom
Statement = cst.SimpleStatementLine | cst.BaseCompoundStatement
_STANDARD = frozenset(sys.stdlib_module_names)


@dataclass(frozen=True)
class Access:
    """How a name of a module is written in a file, and the import that it needs, if any."""

    written: str
    dotted: str = ""
    name: str | None = None
    alias: str | None = None

    def apply(self, module: cst.Module) -> cst.Module:
        """Add the import, unless none is needed."""
        if not self.dotted:
            return module
        if self.alias:
            return _added(module, _plain(self.dotted, self.alias))
        return add(module, self.dotted, self.name)


def use(module: cst.Module, dotted: str, name: str) -> tuple[cst.Module, str]:
    """Make `dotted.name` usable at module level; return the module and how to write it there."""
    way = access(module, dotted, name)
    return way.apply(module), way.written


def access(module: cst.Module, dotted: str, name: str) -> Access:
    """Return how to write `dotted.name` in this file.

    An import that is there is used (`partial`, `functools.partial`, `ft.partial`); a
    `from functools import ...` is extended; else `import functools` is added.
    """
    known = name_for(module, dotted, name)
    if known is not None:
        return Access(known)
    words = _words(module)
    if _from_line(module, dotted) is not None and naming.is_free(name, words):
        return Access(name, dotted, name)
    root = dotted.partition(".")[0]
    if root not in words or _binds_only_by_import(module, root):
        return Access(f"{dotted}.{name}", dotted)
    if name not in words:
        return Access(name, dotted, name)
    alias = naming.free_name(naming.private(root), words)
    return Access(f"{alias}.{name}", dotted, None, alias)


def name_for(module: cst.Module, dotted: str, name: str | None = None) -> str | None:
    """Return how a module (or a name of it) is written in this file, None if not imported."""
    plain = None
    for statement in _imports(module, into_try=True):
        match statement:
            case cst.Import(names=aliases):
                for alias in aliases:
                    if _dotted(alias.name) == dotted:
                        written = _bound(alias) if alias.asname else dotted
                        plain = plain or (f"{written}.{name}" if name else written)
            case cst.ImportFrom(names=[*aliases]):
                for alias in aliases:
                    if name and _source(statement) == dotted and alias.evaluated_name == name:
                        return _bound(alias)
                    full = f"{_source(statement)}.{alias.evaluated_name}"
                    if full == dotted:
                        plain = plain or (f"{_bound(alias)}.{name}" if name else _bound(alias))
    return plain


def add(module: cst.Module, dotted: str, name: str | None = None, alias: str = "") -> cst.Module:
    """Import a module, or a name from it, unless the file does already at module level."""
    if alias and alias != (name or dotted):
        return _added(module, _plain(dotted, alias) if name is None else _from(dotted, name, alias))
    if name is None:
        if any(_imports_plainly(each, dotted) for each in _imports(module, into_try=True)):
            return module
        return _added(module, _plain(dotted))
    for each in _imports(module, into_try=True):
        if isinstance(each, cst.ImportFrom) and _source(each) == dotted:
            if isinstance(each.names, cst.ImportStar):
                continue
            if any(a.evaluated_name == name and not a.asname for a in each.names):
                return module
    line = _from_line(module, dotted)
    if line is not None:
        return _extended(module, line, name)
    return _added(module, _from(dotted, name))


def with_names_of(module: cst.Module, statement: Import) -> cst.Module:
    """Import at module level what a statement imports, unless the file does already."""
    assert not isinstance(statement.names, cst.ImportStar)
    for each in statement.names:
        alias = each.evaluated_alias or ""
        if isinstance(statement, cst.Import):
            module = add(module, _dotted(each.name), alias=alias)
        else:
            module = add(module, _source(statement), each.evaluated_name, alias)
    return module


def without_unused(module: cst.Module, before: cst.Module) -> cst.Module:
    """Take out the names of `typing` that were in use before and are not any more.

    Other imports stay: another module may import what they bind from this one.
    """
    now, then = code_of(module), code_of(before)
    body: list[Statement] = []
    lines: Sequence[cst.EmptyLine] = ()
    for statement in module.body:
        line = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) else None
        if isinstance(line, cst.ImportFrom) and _is_of_typing(line):
            gone = {name for name in map(_bound, line.names) if _times(name, now) == 1}  # type: ignore[arg-type]
            gone = {name for name in gone if _times(name, then) > 1}
            kept = [each for each in line.names if _bound(each) not in gone]  # type: ignore[union-attr]
            if gone and not kept and not _has_comments(statement):
                lines = lines or statement.leading_lines
                continue
            if gone and kept:
                kept[-1] = kept[-1].with_changes(comma=line.names[-1].comma)  # type: ignore[index]
                statement = statement.with_deep_changes(line, names=kept)
        if lines and not statement.leading_lines:
            statement = statement.with_changes(leading_lines=lines)
        lines = ()
        body.append(statement)
    return module.with_changes(body=body)


def _is_of_typing(line: cst.ImportFrom) -> bool:
    return _source(line) == "typing" and not isinstance(line.names, cst.ImportStar)


def _times(name: str, code: str) -> int:
    return len(re.findall(rf"\b{re.escape(name)}\b", code))


def _has_comments(statement: Statement) -> bool:
    assert isinstance(statement, cst.SimpleStatementLine)
    beside = statement.trailing_whitespace.comment is not None
    alone = len(statement.body) == 1
    return beside or not alone or any(line.comment for line in statement.leading_lines)


def _imports_plainly(statement: Import, dotted: str) -> bool:
    if not isinstance(statement, cst.Import):
        return False
    return any(_dotted(alias.name) == dotted and not alias.asname for alias in statement.names)


def _imports(module: cst.Module, into_try: bool = False) -> list[Import]:
    return _imports_of(module.body, into_try)


def _imports_of(body: Sequence[cst.CSTNode], into_try: bool) -> list[Import]:
    found: list[Import] = []
    for statement in body:
        if isinstance(statement, cst.SimpleStatementLine):
            found += [small for small in statement.body if isinstance(small, Import)]
        elif into_try and isinstance(statement, cst.Try):
            found += _imports_of(statement.body.body, into_try)
    return found


def _from_line(module: cst.Module, dotted: str) -> cst.ImportFrom | None:
    for statement in _imports(module):
        match statement:
            case cst.ImportFrom(names=[*_]) if _source(statement) == dotted:
                return statement
    return None


def _extended(module: cst.Module, line: cst.ImportFrom, name: str) -> cst.Module:
    assert not isinstance(line.names, cst.ImportStar)
    aliases = list(line.names)
    names = [alias.evaluated_name for alias in aliases]
    index = _sorted_index(names, name)
    new = cst.ImportAlias(name=cst.Name(name), comma=_inner_comma(line))
    if index < len(aliases):
        aliases.insert(index, new)
    else:
        last = aliases[-1]
        aliases[-1] = last.with_changes(comma=_inner_comma(line))
        aliases.append(new.with_changes(comma=last.comma))
    return module.with_changes(body=[_with_names(each, line, aliases) for each in module.body])


def _with_names(
    statement: cst.BaseStatement, line: cst.ImportFrom, names: Sequence[cst.ImportAlias]
) -> cst.BaseStatement:
    """Change one import and nothing else, so that nodes found before stay the same nodes."""
    if not isinstance(statement, cst.SimpleStatementLine) or line not in statement.body:
        return statement
    body = [line.with_changes(names=names) if each is line else each for each in statement.body]
    return statement.with_changes(body=body)


def _inner_comma(line: cst.ImportFrom) -> cst.Comma:
    """Return a comma as this statement writes them between names."""
    assert not isinstance(line.names, cst.ImportStar)
    for alias in line.names[:-1]:
        if isinstance(alias.comma, cst.Comma):
            return alias.comma
    if line.lpar and isinstance(line.lpar.whitespace_after, cst.ParenthesizedWhitespace):
        return cst.Comma(whitespace_after=line.lpar.whitespace_after)
    return cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))


def _sorted_index(names: Sequence[str], new: str) -> int:
    """Return where a name goes in a sorted list; the end of one that is not sorted."""
    for key in (_plain_key, _lower_key, _case_key):
        keys = [key(name) for name in names]
        if keys == sorted(keys):
            return next((i for i, each in enumerate(keys) if key(new) < each), len(names))
    return len(names)


def _plain_key(name: str) -> tuple[int, str]:
    return (0, name)


def _lower_key(name: str) -> tuple[int, str]:
    return (0, name.lower())


def _case_key(name: str) -> tuple[int, str]:
    """Order names as isort does: CONSTANTS, Classes, functions."""
    if name.isupper() and len(name) > 1:
        return (0, name)
    return (1, name) if name[:1].isupper() else (2, name)


def _added(module: cst.Module, new: Import) -> cst.Module:
    """Put a new import line among its like; sections stay parted by blank lines."""
    body = list(module.body)
    block = _block(body)
    if not block:
        return _first_import(module, new)
    section = [i for i in block if _section(body[i]) == _section_of(new)]
    line = cst.SimpleStatementLine(body=[new])
    if section:
        return module.with_changes(body=_into_section(body, section, line))
    later = [i for i in block if _section(body[i]) > _section_of(new)]
    if later:
        return module.with_changes(body=_new_section_before(body, later[0], line))
    body.insert(block[-1] + 1, line.with_changes(leading_lines=[cst.EmptyLine(indent=False)]))
    return module.with_changes(body=body)


def _into_section(
    body: list[Statement], section: list[int], line: cst.SimpleStatementLine
) -> list[Statement]:
    alike = [i for i in section if _form(body[i]) == _form(line)]
    if not alike:
        plain_first = isinstance(line.body[0], cst.Import)
        index = section[0] if plain_first else section[-1] + 1
    elif not _is_sorted([_key(body[i]) for i in alike]):
        index = alike[-1] + 1
    else:
        index = next((i for i in alike if _key(line) < _key(body[i])), alike[-1] + 1)
    if index < len(body) and index in section:
        below = body[index]
        assert isinstance(below, cst.SimpleStatementLine)
        if index == section[0]:
            line = line.with_changes(leading_lines=below.leading_lines)
            body[index] = below.with_changes(leading_lines=[])
    return [*body[:index], line, *body[index:]]


def _new_section_before(
    body: list[Statement], index: int, line: cst.SimpleStatementLine
) -> list[Statement]:
    below = body[index]
    assert isinstance(below, cst.SimpleStatementLine)
    lines = list(below.leading_lines)
    above = [each for each in lines if not each.comment]
    line = line.with_changes(leading_lines=above)
    own = [each for each in lines if each.comment]
    body[index] = below.with_changes(leading_lines=[cst.EmptyLine(indent=False), *own])
    return [*body[:index], line, *body[index:]]


def _first_import(module: cst.Module, new: Import) -> cst.Module:
    """Put the first import of a file below its docstring and `__future__` lines."""
    body = list(module.body)
    index = 0
    while index < len(body) and (_is_docstring(body[index]) or _is_future(body[index])):
        index += 1
    blank = [cst.EmptyLine(indent=False)] if index else []
    line = cst.SimpleStatementLine(body=[new], leading_lines=blank)
    if index < len(body):
        body[index] = _parted(body[index])
    return module.with_changes(body=[*body[:index], line, *body[index:]])


def _parted(statement: Statement) -> Statement:
    lines = list(getattr(statement, "leading_lines", ()))
    wanted = 2 if isinstance(statement, cst.FunctionDef | cst.ClassDef) else 1
    have = next((i for i, each in enumerate(lines) if each.comment), len(lines))
    missing = max(0, wanted - have)
    blank = [cst.EmptyLine(indent=False) for _ in range(missing)]
    changed = statement.with_changes(leading_lines=[*blank, *lines])
    assert isinstance(changed, Statement)
    return changed


def _block(body: Sequence[cst.BaseStatement]) -> list[int]:
    """Return the indices of the import lines at the head of the file, `__future__` left out.

    Lines after the first definition are not the head; those among settings or tests for a
    library are.
    """
    indices: list[int] = []
    for index, statement in enumerate(body):
        if isinstance(statement, cst.FunctionDef | cst.ClassDef):
            break
        if _is_import(statement) and not _is_future(statement):
            indices.append(index)
    return indices


def _is_import(statement: cst.CSTNode) -> bool:
    return isinstance(statement, cst.SimpleStatementLine) and isinstance(statement.body[0], Import)


def _is_future(statement: cst.CSTNode) -> bool:
    match statement:
        case cst.SimpleStatementLine(body=[cst.ImportFrom() as line, *_]):
            return _source(line) == "__future__"
    return False


def _is_docstring(statement: cst.CSTNode) -> bool:
    match statement:
        case cst.SimpleStatementLine(body=[cst.Expr(value=value), *_]):
            return isinstance(value, cst.SimpleString | cst.ConcatenatedString)
    return False


def _section(statement: cst.BaseStatement) -> int:
    assert isinstance(statement, cst.SimpleStatementLine)
    small = statement.body[0]
    assert isinstance(small, Import)
    return _section_of(small)


def _section_of(statement: Import) -> int:
    """Return 0 for the standard library, 1 for others, 2 for relative imports."""
    name = _module_of(statement)
    if name.startswith("."):
        return 2
    return 0 if name.partition(".")[0] in _STANDARD else 1


def _form(statement: cst.BaseStatement) -> type:
    assert isinstance(statement, cst.SimpleStatementLine)
    return type(statement.body[0])


def _key(statement: cst.BaseStatement) -> str:
    assert isinstance(statement, cst.SimpleStatementLine)
    small = statement.body[0]
    assert isinstance(small, Import)
    return _module_of(small).lower()


def _is_sorted(keys: list[str]) -> bool:
    return keys == sorted(keys)


def _module_of(statement: Import) -> str:
    if isinstance(statement, cst.Import):
        return _dotted(statement.names[0].name)
    return _source(statement)


def _source(statement: cst.ImportFrom) -> str:
    dots = "." * len(statement.relative)
    return dots + (_dotted(statement.module) if statement.module else "")


def _dotted(node: cst.BaseExpression) -> str:
    if isinstance(node, cst.Attribute):
        return f"{_dotted(node.value)}.{node.attr.value}"
    assert isinstance(node, cst.Name)
    return node.value


def _bound(alias: cst.ImportAlias) -> str:
    return alias.evaluated_alias or alias.evaluated_name


def _plain(dotted: str, alias: str | None = None) -> cst.Import:
    text = f"import {dotted}" + (f" as {alias}" if alias else "")
    return cst.ensure_type(_small(text), cst.Import)


def _from(dotted: str, name: str, alias: str = "") -> cst.ImportFrom:
    written = f"{name} as {alias}" if alias else name
    return cst.ensure_type(_small(f"from {dotted} import {written}"), cst.ImportFrom)


def _small(text: str) -> cst.BaseSmallStatement:
    return cst.ensure_type(cst.parse_statement(text), cst.SimpleStatementLine).body[0]


def _words(module: cst.Module) -> set[str]:
    return naming.names_in_text(code_of(module))


def _binds_only_by_import(module: cst.Module, root: str) -> bool:
    """Return whether `root` is bound by imports alone (`import torch` beside `torch.utils.data`)."""
    lines = [each for each in _imports(module, into_try=True) if isinstance(each, cst.Import)]
    return any(
        _dotted(alias.name).partition(".")[0] == root for line in lines for alias in line.names
    )
