"""Names that are read where nothing may have bound them: in functions, on import and in annotations."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator

from dlfix.fixing.proof.changes import FileChange, Regression
from dlfix.fixing.proof.syntax import FUNCTIONS, Function, stored_names, within
from dlfix.fixing.proof.typestate import Interpreter, Reading, State
from dlfix.project.module import Module
from dlfix.project.targets import oldest_minor
from dlfix.project.trees import children, kept, said

# What each module has without a statement.
OF_MODULES = frozenset("__name__ __file__ __doc__ __spec__ __package__ __path__ __all__".split())

_LAZY_SINCE = 14  # the minor version of Python from which annotations are evaluated when somebody asks for them


def check(change: FileChange) -> Iterator[Regression]:
    """Yield the names that may be read before they are bound, and were not before."""
    yield from _unbound(change)
    yield from _unbound_annotations(change)
    yield from _annotations_bound_below(change)


def functions_of(module: Module) -> dict[str, Function]:
    """Return a module's functions by their qualified names."""
    return dict(_functions(module.tree))


@kept
def _functions(tree: ast.Module) -> dict[str, Function]:
    found: dict[str, Function] = {}

    def visit(node: ast.AST, prefix: str) -> None:
        for child in children(node):
            if isinstance(child, FUNCTIONS):
                found.setdefault(prefix + child.name, child)
                visit(child, f"{prefix}{child.name}.")
            elif isinstance(child, ast.ClassDef):
                visit(child, f"{prefix}{child.name}.")
            elif not isinstance(child, ast.expr):
                visit(child, prefix)

    visit(tree, "")
    return found


def _unbound(change: FileChange) -> Iterator[Regression]:
    """Yield the local names that may be read before they are bound, and were not before."""
    before, after = functions_of(change.before), functions_of(change.after)
    renamed = {_body(each): each for name, each in before.items() if name not in after}
    for name, function in after.items():
        old = before.get(name) or renamed.get(_body(function))
        if old is not None and said(old) == said(function):
            continue
        known = {r.name for r in _unset(change, old)} if old is not None else set()
        for reading in sorted(_unset(change, function), key=lambda r: r.line):
            if reading.name not in known and not reading.name.startswith("."):
                yield change.regression(
                    name,
                    reading.line,
                    f"`{reading.name}` may not be assigned yet when it is read (line {reading.line})",
                )
    known = {r.name for r in _unset(change, _as_function(change.before))}
    for reading in sorted(_unset(change, _as_function(change.after)), key=lambda r: r.line):
        if reading.name not in known and reading.name not in OF_MODULES:
            yield change.regression(
                reading.name,
                reading.line,
                f"`{reading.name}` may not be assigned yet when it is read on import (line "
                f"{reading.line})",
            )


def _body(function: Function) -> str:
    return "\n".join(map(said, function.body))


def _unbound_annotations(change: FileChange) -> Iterator[Regression]:
    """Yield names in the annotations of functions that nothing binds there, and that were not in any before."""
    known = {node.id for _, node in _unbound_in(change.before)}
    for name, node in _unbound_in(change.after):
        if node.id not in known:
            yield change.regression(
                name,
                node.lineno,
                f"the annotation of `{name}` reads `{node.id}`, which is not bound there "
                f"(line {node.lineno})",
            )
            return


def _unbound_in(module: Module) -> Iterator[tuple[str, ast.Name]]:
    """Yield the names that annotations evaluate and no scope around them binds, each with its function."""
    aliases = (alias for each in module.nodes(ast.ImportFrom) for alias in each.names)
    if any(alias.name in ("annotations", "*") for alias in aliases):
        return
    for function in functions_of(module).values():
        arguments = [n.annotation for n in ast.walk(function.args) if isinstance(n, ast.arg)]
        for node in within([n for n in (*arguments, function.returns) if n is not None]):
            if not isinstance(node, ast.Name) or hasattr(builtins, node.id):
                continue
            if module.scope_of(node).lookup(node.id) is None:
                yield function.name, node


def _annotations_bound_below(change: FileChange) -> Iterator[Regression]:
    """Yield names in annotations that are evaluated on import, and that only statements further down bind."""
    if _is_lazy(change.after):
        return
    bound = _first_bound(change.after)
    had = {said(each) for each in change.before.tree.body}
    for index, statement in enumerate(change.after.tree.body):
        if said(statement) in had:
            continue
        for node in _annotated_with(statement):
            scope = change.after.scope_of(node).lookup(node.id)
            if scope is change.after.scope and bound.get(node.id, -1) > index:
                name = getattr(statement, "name", "<module>")
                yield change.regression(
                    name,
                    node.lineno,
                    f"the annotation of `{name}` reads `{node.id}`, which is bound further down "
                    f"(line {node.lineno})",
                )
                return


def _is_lazy(module: Module) -> bool:
    """Return whether annotations are not evaluated where they stand."""
    imports = module.nodes(ast.ImportFrom)
    lazy = any(
        a.name == "annotations" for n in imports if n.module == "__future__" for a in n.names
    )
    return lazy or (oldest_minor(module.path) or 0) >= _LAZY_SINCE


def _first_bound(module: Module) -> dict[str, int]:
    """Return the first statement of a module that binds each name, by its index."""
    found: dict[str, int] = {}
    for index, statement in enumerate(module.tree.body):
        for name in _bound_by(module, statement):
            found.setdefault(name, index)
    return found


def _bound_by(module: Module, statement: ast.stmt) -> set[str]:
    """Return what a statement of a module binds in it."""
    if isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
        return {statement.name}
    return stored_names(statement)


def _annotated_with(node: ast.AST) -> Iterator[ast.Name]:
    """Yield the names that running a statement of a module evaluates in annotations."""
    if isinstance(node, FUNCTIONS):
        arguments = [n.annotation for n in ast.walk(node.args) if isinstance(n, ast.arg)]
        yield from _names_in([*arguments, node.returns])
        return
    if isinstance(node, ast.AnnAssign):
        yield from _names_in([node.annotation])
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            yield from _annotated_with(child)


def _names_in(annotations: Iterable[ast.expr | None]) -> Iterator[ast.Name]:
    for node in within([each for each in annotations if each is not None]):
        if isinstance(node, ast.Name):
            yield node


def _unset(change: FileChange, function: Function) -> list[Reading]:
    interpreter = Interpreter(change.new, None)
    interpreter.run(None, function, State())
    return list(interpreter.unset)


def _as_function(module: Module) -> ast.FunctionDef:
    """Return a module's body as a function: its names are bound in the same order."""
    empty = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    return ast.FunctionDef(
        name="<module>",
        args=empty,
        body=module.tree.body or [ast.Pass()],
        decorator_list=[],
        lineno=1,
        col_offset=0,
    )


__all__ = ["OF_MODULES", "check", "functions_of"]
