"""What moves from a notebook to a module says there what it said, and finds every name it uses."""

from __future__ import annotations

import ast
import builtins
import symtable
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from dlfix.fixing.proof.changes import Regression

if TYPE_CHECKING:
    from dlfix.project.project import Project

_IMPORTS = (ast.Import, ast.ImportFrom)


def check(
    before: Project, after: Project, path: Path, changed: Collection[Path]
) -> Iterator[Regression]:
    """Compare a module with the notebooks that are rewritten with it."""
    books = [each for each in changed if each.suffix == ".ipynb" and before.knows(each)]
    if path in books or not any(_imports(_tree(after.text(each)), path.stem) for each in books):
        return
    old = [tree for each in (*books, path) if (tree := _tree(before.text(each))) is not None]
    known = {ast.dump(node) for tree in old for node in tree.body}
    known |= {ast.dump(node) for tree in old for node in _imported(tree)}
    bodies = {ast.dump(n.body) for tree in old for n in ast.walk(tree) if isinstance(n, ast.Lambda)}
    text = after.text(path)
    tree = ast.parse(text)
    named = {node.name for node in tree.body if _returned(node) in bodies}  # type: ignore[attr-defined]
    known |= {ast.dump(_Unnamed(named).visit(node)) for each in old for node in each.body}
    for node in tree.body:
        if not _is_docstring(node) and not _is_known(node, known, named):
            reason = f"the statement is not part of the notebook ({path.name}:{node.lineno})"
            yield Regression(path, "", node.lineno, reason)
    for name in sorted(_missing(text)):
        yield Regression(path, name, 1, f"`{name}` is not defined in {path.name}")


def _tree(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except SyntaxError:
        return None


def _imports(tree: ast.Module | None, name: str) -> bool:
    """Return whether a notebook imports a module of some name; one that does not parse may."""
    if tree is None:
        return True
    named = (each for node in tree.body for each in _modules(node))
    return any(each.rpartition(".")[2] == name for each in named)


def _modules(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.ImportFrom):
        return [node.module or ""]
    return [each.name for each in node.names] if isinstance(node, ast.Import) else []


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
    """Writes each lambda, and the name of each that got one, alike."""

    def __init__(self, named: set[str]) -> None:
        self.named = named

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


def _missing(text: str) -> set[str]:
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
