"""What moves from a notebook to a module says there what it said, and finds every name it uses."""

from __future__ import annotations

import ast
import builtins
import symtable
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from dlfix.fixing.proof.changes import Regression
from dlfix.fixing.proof.syntax import FUNCTIONS as _FUNCTIONS
from dlfix.fixing.proof.syntax import Function

if TYPE_CHECKING:
    from dlfix.project.project import Project

_IMPORTS = (ast.Import, ast.ImportFrom)


def check(
    before: Project, after: Project, path: Path, changed: Collection[Path]
) -> Iterator[Regression]:
    """Compare a module with the notebooks that are rewritten to import from it."""
    books = [
        each
        for each in changed
        if each.suffix == ".ipynb" and before.knows(each)
        if _imports_from(after, each, path) > _imports_from(before, each, path)
    ]
    if path in books or not books:
        return
    texts = [before.text(each) for each in (*books, path)]
    old = [tree for text in texts if (tree := _tree(text)) is not None]
    local = [each for text, tree in zip(texts, old, strict=False) for each in _local(text, tree)]
    known = {ast.dump(node) for tree in old for node in tree.body}
    known |= {ast.dump(node) for tree in old for node in _imported(tree)}
    bodies = {ast.dump(n.body) for tree in old for n in ast.walk(tree) if isinstance(n, ast.Lambda)}
    text = after.text(path)
    tree = ast.parse(text)
    named = {node.name for node in tree.body if _returned(node) in bodies}  # type: ignore[attr-defined]
    own = {*map(_without_name, local)}
    left = {each.name for each in local if _without_name(each) in {*map(_without_name, tree.body)}}
    known |= {ast.dump(_Unnamed(named, left).visit(node)) for each in old for node in each.body}
    for node in tree.body:
        is_known = _is_known(node, known, named) or (_without_name(node) or None) in own
        if not _is_docstring(node) and not is_known:
            reason = f"the statement is not part of the notebook ({path.name}:{node.lineno})"
            yield Regression(path, "", node.lineno, reason)
    for name in sorted(missing(text)):
        yield Regression(path, name, 1, f"`{name}` is not defined in {path.name}")


def _imports_from(project: Project, book: Path, path: Path) -> int:
    """Return how many names the cells of a notebook import from a module next to it."""
    tree = _tree(project.text(book)) if book.parent == path.parent else None
    return sum(
        len(node.names)
        for node in (ast.walk(tree) if tree is not None else ())
        if isinstance(node, ast.ImportFrom) and node.module == path.stem and not node.level
    )


def _local(text: str, tree: ast.Module) -> Iterator[Function]:
    """Yield the functions of functions that need nothing of these."""
    closures = {
        (table.get_name(), table.get_lineno())
        for table in _tables(symtable.symtable(text, "notebook", "exec"))
        if any(
            each.is_free() and each.get_name() != table.get_name() for each in table.get_symbols()
        )
    }
    functions = [each for each in ast.walk(tree) if isinstance(each, _FUNCTIONS)]
    inner = {each for outer in functions for each in ast.walk(outer) if each is not outer}
    for node in functions:
        if node in inner and not node.decorator_list and (node.name, node.lineno) not in closures:
            yield node


def _tables(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    yield table
    for child in table.get_children():
        yield from _tables(child)


def _without_name(node: ast.AST) -> str:
    """Return what a function is, whatever its name; empty for anything else."""
    if not isinstance(node, _FUNCTIONS):
        return ""
    docstring = int(
        ast.get_docstring(node, clean=False) is not None
    )  # whose indentation may change
    parts = (node.args, *filter(None, [node.returns]), *node.body[docstring:])
    return " ".join([type(node).__name__, *map(ast.dump, parts)])


def _tree(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except SyntaxError:
        return None


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _returned(node: ast.stmt) -> str:
    """Return what a function of one statement returns."""
    match node:
        case ast.FunctionDef(body=[ast.Return(value=ast.expr() as value)]):
            return ast.dump(value)
    return ""


def _is_known(node: ast.stmt, known: set[str], named: set[str]) -> bool:
    if isinstance(node, _IMPORTS):
        return all(ast.dump(each) in known for each in _each_import(node))
    return getattr(node, "name", "") in named or ast.dump(_Unnamed(named).visit(node)) in known


class _Unnamed(ast.NodeTransformer):
    """Writes each lambda, and the name of each that got one, alike; leaves out functions of functions that moved."""

    def __init__(self, named: set[str], left: Collection[str] = ()) -> None:
        self.named, self.left = named, left
        self._is_inside = False  # of a function

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST | None:
        """Leave out a function of a function that moved."""
        return self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST | None:
        """Leave out a function of a function that moved."""
        return self._function(node)

    def _function(self, node: Function) -> ast.AST | None:
        if self._is_inside and node.name in self.left:
            return None
        outside, self._is_inside = self._is_inside, True
        self.generic_visit(node)
        self._is_inside = outside
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        """Write a lambda as a name."""
        return ast.Name("<lambda>", ast.Load())

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Write the name of a lambda as the lambda."""
        return ast.Name("<lambda>", ast.Load()) if node.id in self.named else node


def _imported(tree: ast.Module) -> Iterator[ast.stmt]:
    for node in tree.body:
        if isinstance(node, _IMPORTS):
            yield from _each_import(node)


def _each_import(node: ast.Import | ast.ImportFrom) -> Iterator[ast.stmt]:
    """Yield one statement for each name that is imported."""
    for alias in node.names:
        if isinstance(node, ast.Import):
            yield ast.Import([alias])
        else:
            yield ast.ImportFrom(node.module, [alias], node.level)


def missing(text: str) -> set[str]:
    """Return the names that code uses, and nothing binds at module level."""
    table = symtable.symtable(text, "module", "exec")
    bound = {
        each.get_name() for each in table.get_symbols() if each.is_assigned() or each.is_imported()
    }
    bound |= {each.get_name() for each in table.get_symbols() if each.is_namespace()}
    return {
        name for name in _read(table, top=True) if name not in bound and not hasattr(builtins, name)
    }


def _read(table: symtable.SymbolTable, *, top: bool = False) -> Iterator[str]:
    for symbol in table.get_symbols():
        if symbol.is_referenced() and (top or symbol.is_global()):
            yield symbol.get_name()
    for child in table.get_children():
        yield from _read(child)


__all__ = ["check", "missing"]
