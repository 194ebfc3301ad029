"""Names that each process gives values in the order of a set of its own, and that workers may read."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from dlfix.fixing.proof.changes import FileChange, Regression
from dlfix.fixing.proof.program import Program
from dlfix.fixing.proof.syntax import (
    COMPREHENSIONS,
    FUNCTIONS,
    Function,
    dotted,
    executed,
    last_part,
    stored_names,
    within,
)
from dlfix.project.module import Module
from dlfix.project.trees import kept

_MOST_CALLS = 3  # from a function to what reads a name
_SETS = frozenset({"set", "frozenset"})
_SORTED = frozenset("sorted len min max sum any all".split()) | _SETS
_LISTED = frozenset(
    "list tuple enumerate zip map filter iter dict fromkeys join array tensor".split()
)
_DEFINITIONS = (*FUNCTIONS, ast.ClassDef)


def check(change: FileChange, at_import: Sequence[ast.stmt]) -> Iterator[Regression]:
    """Yield names that import makes of a set's items in their order, and that a function or class reads."""
    ordered = _ordered(at_import)
    for definition in (each for each in at_import if isinstance(each, _DEFINITIONS)):
        for name in sorted(_names(definition) & ordered):
            yield change.regression(
                name,
                definition,
                f"`{name}` is in the order of a set, which is another in each process, and a worker may read it "
                f"(line {definition.lineno})",
            )
            return


def check_moved(change: FileChange) -> Iterator[Regression]:
    """Yield functions that moved to module level, where a worker runs them with what its own import has made."""
    before = {getattr(each, "name", "") for each in change.before.tree.body}
    for function in change.after.tree.body:
        if not isinstance(function, FUNCTIONS) or function.name in before:
            continue
        for module, read in _reads(change.new, change.after, function, _MOST_CALLS):
            home, name = _home(change.new, module, read)
            if name in _ordered_in(home.tree):
                yield change.regression(
                    function.name,
                    function,
                    f"`{name}` is in the order of a set, which is another in each process, and "
                    f"`{function.name}` would read it in a worker ({module.path.name}:{read.lineno})",
                )
                return


def _reads(
    program: Program, module: Module, function: Function, far: int
) -> Iterator[tuple[Module, ast.Name | ast.Attribute]]:
    """Yield what a function reads by a name, itself or by what it calls."""
    for node in executed(function.body):
        if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load):
            yield module, node
        if isinstance(node, ast.Call) and far:
            known = program.function_of(module, node.func)
            if known is not None and known[1] is not function:
                yield from _reads(program, *known, far - 1)


def _home(program: Program, module: Module, read: ast.Name | ast.Attribute) -> tuple[Module, str]:
    """Return the module whose name it is that code reads, and that name; no name where that is another's."""
    if isinstance(read, ast.Attribute):
        owner = program.bound(module, dotted(read.value)) if dotted(read.value) else None
        is_module = owner is not None and isinstance(owner[1], ast.Module)
        return (owner[0], read.attr) if owner is not None and is_module else (module, "")
    scope = module.scope_of(read).lookup(read.id)
    if scope is None or not scope.is_module:
        return module, ""
    for node in module.nodes(ast.ImportFrom):
        for alias in node.names if isinstance(node, ast.ImportFrom) else ():
            if (alias.asname or alias.name) == read.id:
                origin = node.module or ""
                if node.level:
                    origin = program.project.relative(module, node.level, node.module)
                source = program.project.find(origin, module)
                return (source, alias.name) if source is not None else (module, "")
    return module, read.id


@kept
def _ordered_in(tree: ast.Module) -> frozenset[str]:
    return frozenset(_ordered(tree.body))


def _ordered(statements: Sequence[ast.stmt]) -> set[str]:
    """Return the names that statements set to what they make of a set's items in their order."""
    lines = [each for each in statements if not isinstance(each, _DEFINITIONS)]
    sets = {
        name
        for each in lines
        if isinstance(each, (ast.Assign, ast.AnnAssign)) and _is_set(each.value, set())
        for name in stored_names(each)
    }
    ordered: set[str] = set()
    for each in lines:
        if _is_listed(each, sets) or _names(each) & ordered:
            ordered |= stored_names(each)
    return ordered


def _names(node: ast.AST) -> set[str]:
    return {n.id for n in within(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def _is_set(node: ast.AST | None, names: set[str]) -> bool:
    match node:
        case ast.Set(elts=items):
            return any(
                not isinstance(each, ast.Constant) or isinstance(each.value, str) for each in items
            )
        case ast.SetComp():
            return True
        case ast.Name(id=name):
            return name in names
        case ast.BinOp(left=left, right=right):
            return _is_set(left, names) or _is_set(right, names)
        case ast.Call(func=func, args=args):
            is_of_range = any(
                isinstance(a, ast.Call) and last_part(a.func) == "range" for a in args
            )
            return last_part(func) in _SETS and not is_of_range
    return False


def _is_listed(node: ast.AST, sets: set[str]) -> bool:
    """Return whether code goes through a set, whose order what it makes has."""
    passed = {
        id(argument)
        for call in executed(node)
        if isinstance(call, ast.Call) and last_part(call.func) in _SORTED
        for argument in call.args
    }
    for each in executed(node):
        if id(each) in passed:
            continue
        gone_through: list[ast.expr] = []
        if isinstance(each, ast.Call) and last_part(each.func) in _LISTED:
            gone_through = each.args
        elif isinstance(each, COMPREHENSIONS) and not isinstance(each, ast.SetComp):
            gone_through = [part.iter for part in each.generators]
        elif isinstance(each, ast.For):
            gone_through = [each.iter]
        if any(_is_set(part, sets) for part in gone_through):
            return True
    return False


__all__ = ["check", "check_moved"]
