"""A class or function whose own name is bound to something else below: `Scale = Scale()`."""

from __future__ import annotations

import ast
import re

from dlfix.fixing.hoisting.captures import CannotHoist
from dlfix.project.bindings import Binding
from dlfix.project.module import Module
from dlfix.project.order import begins_before, comes_before
from dlfix.source.text import Position, Span

Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef

_KEYWORD = re.compile(r"(?:class|(?:async\s+)?def)\s+")


def reads_before(module: Module, node: Definition) -> list[ast.Name]:
    """Return the reads of a name that see its definition; raise CannotHoist where that is unsure."""
    again = _bound_again(module, node)
    found: list[ast.Name] = []
    for scope in module.scope.walk():
        if scope.lookup(node.name) is not module.scope:
            continue
        if node.name in scope.globals:
            raise CannotHoist(_why(node, again))
        for read in scope.reads.get(node.name, ()):
            if comes_before(again.statement, read):
                continue
            if not scope.is_module:
                raise CannotHoist(
                    f"{_why(node, again)}, and either value may be read (line {read.lineno})"
                )
            found.append(read)
    return found


def name_of_registered(module: Module, node: Definition) -> str:
    """Return a name for a function that a decorator keeps while others take its own: `_` below `@register("sort")`.

    It is empty where code reads the name, something else than a function takes it over, or the key
    is no identifier.
    """
    bindings = module.scope.bindings.get(node.name, ())
    defined = all(each.node in module.tree.body for each in bindings)
    functions = all(
        isinstance(each.node, (ast.FunctionDef, ast.AsyncFunctionDef)) for each in bindings
    )
    if len(bindings) < 2 or not defined or not functions or bindings[-1].node is node:
        return ""
    read = any(
        node.name in scope.reads and scope.lookup(node.name) is module.scope
        for scope in module.scope.walk()
    )
    texts = [
        given.value
        for each in node.decorator_list
        if isinstance(each, ast.Call)
        for given in each.args[:1]
        if isinstance(given, ast.Constant) and isinstance(given.value, str)
    ]
    stem = re.sub(r"\W", "_", texts[0]).lower() if texts else ""
    name = f"_{stem}" if node.name.startswith("_") else stem
    return name if stem and name.isidentifier() and not read else ""


def name_span(module: Module, node: Definition) -> Span:
    """Return where a definition writes its name."""
    indent = node.col_offset  # in bytes, but of spaces
    keyword = _KEYWORD.match(module.lines[node.lineno - 1], indent)
    if keyword is None or not keyword.string.startswith(node.name, keyword.end()):
        raise CannotHoist(f"`{node.name}` cannot be found by its name (line {node.lineno})")
    column = keyword.end()
    return Span(Position(node.lineno, column), Position(node.lineno, column + len(node.name)))


def _bound_again(module: Module, node: Definition) -> Binding:
    """Return the one assignment at the top that takes the name over."""
    others = [each for each in module.scope.bindings.get(node.name, ()) if each.node is not node]
    if not others or module.parent(node) is not module.tree:
        raise CannotHoist(f"`{node.name}` cannot be found by its name (line {node.lineno})")
    again = others[0]
    top = again.statement in module.tree.body and isinstance(again.statement, ast.Assign)
    if len(others) > 1 or not top or begins_before(again.node, node):
        raise CannotHoist(_why(node, again))
    return again


def _why(node: Definition, again: Binding) -> str:
    return f"`{node.name}` is reassigned (line {_line(again)}), so pickle would find another value"


def _line(binding: Binding) -> int:
    return int(getattr(binding.node, "lineno", 0))
