"""The modules of the functions that an object is passed to where it is made: they may set attributes of it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from dlfix.reach.values import BoundMethod, Class, Function

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.reach.evaluator import Evaluator

_MOST_MODULES = 12


def handed_to(made: ast.AST, home: Module, interpreter: Evaluator) -> list[Module]:
    """Return the modules, other than its own, whose functions get what an expression makes: `finish(parser.parse_args())`."""
    if made not in home.parents:  # a decorator's call, which is not written as one
        return []
    given = modules_given((made, *named(made, home)), home, interpreter)
    found = [*dict.fromkeys(module for module in given if module is not home)]
    interpreter.cut(when=len(found) > _MOST_MODULES)
    return found[:_MOST_MODULES]


def modules_given(
    nodes: Iterable[ast.AST], home: Module, interpreter: Evaluator
) -> Iterator[Module]:
    """Yield the modules of the functions and classes that are called with one of some nodes."""
    for function in functions_given(nodes, home, interpreter):
        yield function.module


def functions_given(
    nodes: Iterable[ast.AST], home: Module, interpreter: Evaluator
) -> Iterator[Function | Class]:
    """Yield the functions and classes that are called with one of some nodes."""
    for node in nodes:
        above = home.parent(node)
        call = home.parent(above) if isinstance(above, ast.keyword) else above
        if isinstance(call, ast.Call) and node is not call.func:
            for value in interpreter.values_at(call.func, interpreter.frame_at(home, call)):
                function = value.function if isinstance(value, BoundMethod) else value
                if isinstance(function, (Function, Class)):
                    yield function


def named(node: ast.AST, module: Module) -> Iterator[ast.Name]:
    """Yield the uses of the names that a statement binds to what a node makes."""
    statement = module.statement(node)
    if isinstance(statement, ast.Assign):
        scope = module.scope_of(node)
        for target in statement.targets:
            if isinstance(target, ast.Name):
                yield from scope.reads.get(target.id, ())
