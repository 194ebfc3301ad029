"""State of the module that statements under the guard set, and that workers read without it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.proof.changes import FileChange, Regression
from dlfix.fixing.proof.syntax import FUNCTIONS, dotted, executed, stored_names, within

_FAR = 3


def check(change: FileChange, moved: list[ast.stmt], stays: list[ast.stmt]) -> Iterator[Regression]:
    """Yield what a worker finds as import left it, where the program had changed it."""
    at_import = {name for node in stays for name in _defined(node)}
    for statement in moved:
        for name, attribute in _set(change, [statement], _FAR, set()):
            reads = _reads(change, stays, name, attribute) if name in at_import else 0
            if reads:
                text = f"{name}.{attribute}" if attribute else name
                yield change.regression(
                    name,
                    reads,
                    f"`{text}` is read in a worker (line {reads}), which no longer sets it "
                    f"(line {statement.lineno} before the fix)",
                )
                return


def _defined(node: ast.stmt) -> set[str]:
    """Return what a statement defines itself: imports stand for other modules."""
    return set() if isinstance(node, (ast.Import, ast.ImportFrom)) else stored_names(node)


def _set(
    change: FileChange, nodes: list[ast.stmt], far: int, seen: set[int]
) -> Iterator[tuple[str, str]]:
    """Yield the names that code sets through `globals()`, and the attributes of names."""
    for node in executed(nodes):
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            if isinstance(node.value, ast.Name):
                yield node.value.id, node.attr
        elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            yield from _set_by_name(node)
        elif isinstance(node, ast.Call) and dotted(node.func) == "setattr":
            yield from _set_by_text(node)
        elif isinstance(node, ast.Call) and far:
            found = change.old.resolve(change.before, node.func)
            own = found is not None and found[0] is change.before
            if own and found and isinstance(found[1], FUNCTIONS) and id(found[1]) not in seen:
                seen.add(id(found[1]))
                yield from _set(change, found[1].body, far - 1, seen)


def _set_by_text(call: ast.Call) -> Iterator[tuple[str, str]]:
    match call.args:
        case [ast.Name(id=owner), ast.Constant(value=str() as name), _]:
            yield owner, name


def _set_by_name(node: ast.Subscript) -> Iterator[tuple[str, str]]:
    called = node.value.func if isinstance(node.value, ast.Call) else None
    if dotted(called) == "globals" and isinstance(node.slice, ast.Constant):
        yield str(node.slice.value), ""


def _reads(change: FileChange, stays: list[ast.stmt], name: str, attribute: str) -> int:
    """Return the line where a method of a class that stays reads a name or attribute; 0 if none."""
    for cls in (node for node in stays if isinstance(node, ast.ClassDef)):
        for function in (node for node in cls.body if isinstance(node, FUNCTIONS)):
            for node in within(function.body):
                if not attribute and isinstance(node, ast.Name) and node.id == name:
                    return node.lineno
                if attribute and isinstance(node, ast.Attribute) and node.attr == attribute:
                    owner = dotted(node.value)
                    if owner == name or (cls.name == name and owner in {"self", "cls"}):
                        return node.lineno
    return 0
