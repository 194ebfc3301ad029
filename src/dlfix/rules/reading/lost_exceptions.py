"""Exceptions of a loader's workers that the parent means to catch, and gets as a `RuntimeError`.

torch makes the exception again of one text, `type(error)(text)`; where that fails it raises a `RuntimeError`.
"""

from __future__ import annotations

import ast
import builtins
from typing import TYPE_CHECKING

from dlfix.project.module import enclosing_function
from dlfix.project.syntax import last_name
from dlfix.project.trees import walk
from dlfix.reach.values import Class, External, ExternalCall, Instance
from dlfix.rules.reading import exceptions, reached

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.reach.analysis import Analysis
    from dlfix.reach.crossing import Boundary

_TRIES = (ast.Try, ast.TryStar) if hasattr(ast, "TryStar") else (ast.Try,)
_MOST_VALUES = 20
_GENERAL = ("RuntimeError", "Exception", "BaseException")
_OF_PYTHON = frozenset(name for name in dir(builtins) if name not in _GENERAL)
Handler = tuple["Module", ast.ExceptHandler]


def is_made_of_a_text(analysis: Analysis, cls: Class) -> bool:
    """Return whether torch can make an exception again; True wherever that is not certain."""
    inside, outside = reached.chain(analysis, cls)
    line = reached.nodes(inside)
    found = exceptions.initializer(line)
    if found is None or not outside or "?" in outside:
        return True
    if any(exceptions.method(each, "__new__") for each in line) or _has_message(line):
        return True
    return exceptions.fits(found[1], 1)


def _has_message(line: list[ast.ClassDef]) -> bool:
    """Return whether a class has an attribute `message`, by whose name torch passes the text."""
    return any(
        isinstance(node, ast.Name) and node.id == "message" and isinstance(node.ctx, ast.Store)
        for cls in line
        for statement in cls.body
        for node in walk(statement)
        if isinstance(statement, ast.Assign | ast.AnnAssign)
    )


def handler(analysis: Analysis, cls: Class, boundary: Boundary) -> Handler | None:
    """Return a handler of the parent, around a loop over a loader, that is there for a class of the tree."""
    line = [base for base in analysis.mro(cls) if isinstance(base, Class)]
    own = {base.node for base in line}
    modules = [use for base in line for use in analysis.project.users(base.module, base.name)]
    for module in dict.fromkeys([*(base.module for base in line), *modules]):
        for statement in module.nodes(ast.Try):
            node = _catching(analysis, module, statement, own)
            if node is not None and _goes_through(analysis, module, statement, boundary):
                return module, node
    return None


def _catching(
    analysis: Analysis, module: Module, statement: ast.Try, own: set[ast.ClassDef]
) -> ast.ExceptHandler | None:
    for node in statement.handlers:
        caught = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
        found = [
            one.value
            for each in caught
            if each is not None
            for one in analysis.evaluate(each, analysis.frame(module.scope_of(node)))
        ]
        if any(isinstance(value, External) and value.name in _GENERAL for value in found):
            return None
        if any(isinstance(value, Class) and value.node in own for value in found):
            return node
    return None


def _goes_through(
    analysis: Analysis, module: Module, statement: ast.Try, boundary: Boundary
) -> bool:
    """Return whether the body of a `try`, or what it calls, iterates over a loader."""
    function = enclosing_function(module, statement)
    frame = analysis.frame(module.scope_of(statement))
    if isinstance(function, ast.Lambda):
        return False
    here = reached.Code(function or module.tree, module, frame)  # type: ignore[arg-type]
    if any(
        _is_over(analysis, node, here, boundary) for each in statement.body for node in walk(each)
    ):
        return True
    calls = [node for each in statement.body for node in walk(each) if isinstance(node, ast.Call)]
    starts = [code for call in calls for code in reached.called(analysis, here, call)]
    return any(
        _is_over(analysis, node, code, boundary)
        for code in reached.runs(analysis, starts)
        for node in reached.own(code.node)
    )


def _is_over(analysis: Analysis, node: ast.AST, code: reached.Code, boundary: Boundary) -> bool:
    match node:
        case ast.For(iter=source) | ast.comprehension(iter=source) | ast.YieldFrom(value=source):
            return _is_loader(analysis, source, code, boundary)
        case ast.Call(func=ast.Name("next" | "list" | "iter"), args=[source, *_]):
            return _is_loader(analysis, source, code, boundary)
    return False


def _is_loader(
    analysis: Analysis, source: ast.expr, code: reached.Code, boundary: Boundary
) -> bool:
    """Return whether an expression is a loader, or what goes through one: `enumerate(loader)`."""
    pending, seen = reached.values(analysis, source, code.frame), 0
    while pending and seen < _MOST_VALUES:
        value, seen = pending.pop(), seen + 1
        made = value.call if isinstance(value, Instance) else getattr(value, "node", None)
        if made is boundary.node:
            return True
        if isinstance(value, ExternalCall):
            for argument in value.arguments.positional:
                pending += analysis.values(argument)
    return False


def caught_by_workers(running: list[reached.Code], raising: reached.Code, node: ast.Raise) -> bool:
    """Tell, by names, whether code of workers may catch what a statement raises."""
    leading = {raising.node.name}
    while True:
        more = {code.node.name for code in running if leading & _called_names(code.node)} - leading
        if not more:
            break
        leading |= more
    for code in running:
        for statement in reached.own(code.node):
            if isinstance(statement, _TRIES) and _catches_more(statement):
                within = [each for part in statement.body for each in walk(part)]
                if node in within or any(
                    isinstance(each, ast.Call) and last_name(each.func) in leading
                    for each in within
                ):
                    return True
    return False


def _catches_more(statement: ast.Try) -> bool:
    """Return whether a `try` may catch an exception of the tree: any but one of Python's own."""
    return any(each.type is None or _names(each.type) - _OF_PYTHON for each in statement.handlers)


def _called_names(tree: ast.AST) -> set[str]:
    return {last_name(call.func) for call in reached.calls(tree)}


def _names(node: ast.expr) -> set[str]:
    return {last_name(each) for each in walk(node) if isinstance(each, ast.Name | ast.Attribute)}
