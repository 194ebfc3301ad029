"""Names that are read where nothing may have bound them: in functions, on import and in annotations."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from dlfix.fixing.proof.changes import FileChange, Regression
from dlfix.fixing.proof.syntax import FUNCTIONS, Function, within
from dlfix.fixing.proof.typestate import Interpreter, Reading, State
from dlfix.project.module import Module

# What each module has without a statement.
OF_MODULES = frozenset("__name__ __file__ __doc__ __spec__ __package__ __path__ __all__".split())


def check(change: FileChange) -> Iterator[Regression]:
    """Yield the names that may be read before they are bound, and were not before."""
    yield from _unbound(change)
    yield from _unbound_annotations(change)


def functions_of(module: Module) -> dict[str, Function]:
    """Return a module's functions by their qualified names."""
    found: dict[str, Function] = {}

    def visit(node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, FUNCTIONS):
                found.setdefault(prefix + child.name, child)
                visit(child, f"{prefix}{child.name}.")
            elif isinstance(child, ast.ClassDef):
                visit(child, f"{prefix}{child.name}.")
            elif not isinstance(child, ast.expr):
                visit(child, prefix)

    visit(module.tree, "")
    return found


def _unbound(change: FileChange) -> Iterator[Regression]:
    """Yield the local names that may be read before they are bound, and were not before."""
    before, after = functions_of(change.before), functions_of(change.after)
    renamed = {_body(each): each for name, each in before.items() if name not in after}
    for name, function in after.items():
        old = before.get(name) or renamed.get(_body(function))
        if old is not None and ast.dump(old) == ast.dump(function):
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
    return "\n".join(map(ast.dump, function.body))


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
