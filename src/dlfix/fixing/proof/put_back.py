"""Modules that a fix makes beside a file, put back into the file: what is proved of classes of one file is proved of them."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from dlfix.fixing.proof.changes import Regression
from dlfix.fixing.proof.syntax import FUNCTIONS
from dlfix.project.module import Module
from dlfix.project.order import first_row

if TYPE_CHECKING:
    from dlfix.project.project import Project

_LINE = r"\((?P<name>line |{name}:)(?P<row>\d+)\)"
Spot = tuple[int, int]  # a row and a column


@dataclass(frozen=True)
class PutBack:
    """The program after a fix with the classes in the file that they left, and where its lines are in that."""

    project: Project
    first: int  # the first row that is not of the file
    count: int
    uses: int  # the row of the import that leads to the classes

    def placed(self, regression: Regression) -> Regression:
        """Return a regression with lines of the file as it is written."""
        pattern = _LINE.format(name=re.escape(regression.path.name))

        def name(found: re.Match[str]) -> str:
            return f"({found['name']}{self._row(int(found['row']))})"

        reason = re.sub(pattern, name, regression.reason)
        return replace(regression, line=self._row(regression.line), reason=reason)

    def _row(self, row: int) -> int:
        if row < self.first:
            return row
        return row - self.count if row >= self.first + self.count else self.uses


def homes_of(
    before: Project, after: Project, changed: Collection[Path]
) -> dict[Path, tuple[Module, ast.ImportFrom]]:
    """Return the modules that a fix makes, each with a file that imports from it, and the import."""
    made = [path for path in changed if path.suffix == ".py" and not before.knows(path)]
    found = {}
    for path in made:
        for other in changed:
            module = after.get(other) if other not in made and other.suffix == ".py" else None
            imports = [*imports_from(module, path)] if module is not None else []
            if module is not None and imports:
                found[path] = module, imports[0]
    return found


def imports_from(module: Module, path: Path) -> Iterator[ast.ImportFrom]:
    """Yield where a module imports names from a file beside it."""
    for node in module.nodes(ast.ImportFrom):
        assert isinstance(node, ast.ImportFrom)
        if node.module == path.stem and node.level < 2 and module.path.parent == path.parent:
            yield node


def put_back(
    before: Project, after: Project, changed: Collection[Path], home: Module
) -> PutBack | None:
    """Return the program with the modules that a file imports from as parts of that file; None where it has none."""
    made = [
        path for path, (module, _) in homes_of(before, after, changed).items() if module is home
    ]
    if not made:
        return None
    imports = [node for path in made for node in imports_from(home, path)]
    row = min(first_row(_top(home, node)) for node in imports)
    text, added = _Text(home.text), []
    taken = _taken(home, imports)
    for path in made:
        module = after.module(path)
        own = _Text(module.text)
        for node in module.tree.body:
            if isinstance(node, ast.ClassDef):
                fresh = _free(node.name, taken)
                taken.add(fresh)
                own.rename(_spots_of_class(module, node), node.name, fresh)
                for statement in imports_from(home, path):
                    text.rename(_spots_of_import(home, statement, node.name), node.name, fresh)
        added.append(own.said())
    for node in imports:
        text.blank(node, alone=_is_alone(home, node))
    lines = "".join(f"{each.rstrip()}\n" for each in added).splitlines(keepends=True)
    rows = text.said().splitlines(keepends=True)
    folded = "".join([*rows[: row - 1], *lines, *rows[row - 1 :]])
    texts = {path: after.text(path) for path in changed if before.knows(path)}
    project = before.with_texts({**texts, home.path: folded})
    return PutBack(project, row, len(lines), min(each.lineno for each in imports))


def _top(module: Module, node: ast.AST) -> ast.stmt:
    """Return the statement of the module that a node is part of."""
    top = [node, *module.ancestors(node)][-2]
    assert isinstance(top, ast.stmt)
    return top


def _taken(home: Module, imports: Iterable[ast.ImportFrom]) -> set[str]:
    """Return the names that mean something in a file but by some imports of a function."""
    own = {id(alias) for node in imports for alias in node.names}
    bound = {
        name
        for scope in home.scope.walk()
        for name, bindings in scope.bindings.items()
        if any(id(each.node) not in own for each in bindings)
    }
    unbound = {
        name for scope in home.scope.walk() for name in scope.reads if scope.lookup(name) is None
    }
    return bound | unbound | set(dir(builtins))


def _free(name: str, taken: Collection[str]) -> str:
    """Return a name that is free, and that is the same but for underscores."""
    fresh = name if name not in taken else f"_{name}"
    while fresh in taken:
        fresh = f"{fresh}_"
    return fresh


def _spots_of_class(module: Module, node: ast.ClassDef) -> list[Spot]:
    line = module.lines[node.lineno - 1]
    at = re.compile(rf"class\s+(?={node.name}\b)").match(line, node.col_offset)
    spots = [(node.lineno, at.end())] if at is not None else []
    reads = module.nodes_by_name.get(node.name, ())
    return spots + [
        (each.lineno, each.col_offset)
        for each in reads
        if isinstance(each, ast.Name) and module.scope_of(each).lookup(each.id) is module.scope
    ]


def _spots_of_import(home: Module, statement: ast.ImportFrom, name: str) -> list[Spot]:
    if all((each.asname or each.name) != name for each in statement.names):
        return []
    scope = home.scope_of(statement)
    return [
        (each.lineno, each.col_offset)
        for each in home.nodes_by_name.get(name, ())
        if isinstance(each, ast.Name) and home.scope_of(each).lookup(name) is scope
    ]


def _is_alone(module: Module, node: ast.stmt) -> bool:
    above = module.parent(node)
    blocks = [getattr(above, name, None) for name in ("body", "orelse", "finalbody")]
    return any(block == [node] for block in blocks)


@dataclass
class _Text:
    """A text in which names change, and statements go, whose lines stay where they are."""

    text: str
    lines: list[str] = field(init=False)
    changes: dict[Spot, tuple[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.lines = self.text.splitlines(keepends=True)

    def rename(self, spots: Iterable[Spot], old: str, new: str) -> None:
        if old != new:
            self.changes.update(dict.fromkeys(spots, (old, new)))

    def blank(self, node: ast.stmt, *, alone: bool) -> None:
        """Take a statement out; where it is all that its block has, nothing is done instead."""
        row = node.lineno - 1
        line = self.lines[row].encode()
        end = node.end_col_offset if node.end_lineno == node.lineno else len(line.rstrip())
        text = (line[: node.col_offset] + (b"pass" if alone else b"") + line[end:]).decode()
        self.lines[row] = text if text.strip() else "\n"
        for other in range(row + 1, node.end_lineno or node.lineno):
            self.lines[other] = "\n"

    def said(self) -> str:
        for (row, column), (old, new) in sorted(self.changes.items(), reverse=True):
            line = self.lines[row - 1].encode()
            head, rest = line[:column], line[column:]
            if rest.startswith(old.encode()):
                self.lines[row - 1] = (head + new.encode() + rest[len(old.encode()) :]).decode()
        return "".join(self.lines)


def is_in_function(module: Module, node: ast.AST) -> bool:
    """Return whether a node is part of a function."""
    return any(isinstance(each, FUNCTIONS) for each in module.ancestors(node))
