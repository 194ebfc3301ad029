"""Functions that the project uses as decorators only: what they ask, they ask of what they stand over."""

from __future__ import annotations

import ast

from dlfix.fixing.proof.program import Program
from dlfix.fixing.proof.syntax import FUNCTIONS
from dlfix.project.module import Module


def is_of_decorated(program: Program, module: Module, node: ast.AST) -> bool:
    """Return whether what a node asks is asked of what a decorator stands over, and of nothing else.

    That is a parameter of a function that the project uses as a decorator only, or that such a one returns.
    """
    asked = node.value if isinstance(node, ast.Attribute) else None
    if not isinstance(asked, ast.Name):
        return False
    scope = module.scope_of(asked).lookup(asked.id)
    bindings = scope.bindings.get(asked.id, []) if scope is not None else []
    if scope is None or [each.kind for each in bindings] != ["parameter"]:
        return False
    function = scope.node
    while isinstance(function, FUNCTIONS) and not function.decorator_list:
        around = program.enclosing(module, function)
        if around is None:
            owner = module.parent(function)
            if isinstance(owner, ast.ClassDef):  # `@Deprecated("...")`, `@REGISTRY.register("...")`
                called = function.name == "__call__"
                return _only_decorates(program, owner.name if called else function.name)
            return isinstance(owner, ast.Module) and _only_decorates(program, function.name)
        if not _is_only_returned(module, function):
            return False
        function = around
    return False


def _is_only_returned(module: Module, function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return whether a local function is read by nothing but the `return` of the function around it."""
    home = module.scope_of(function)
    reads = [each for inner in home.walk() for each in inner.reads.get(function.name, ())]
    return bool(reads) and all(isinstance(module.parent(each), ast.Return) for each in reads)


def _only_decorates(program: Program, name: str) -> bool:
    """Return whether a name is read as a decorator, or called to make one, and nowhere else."""
    decorates = False
    for module in program.project.mentions(name):
        if module.aliases_of(name):
            return False
        for node in module.nodes_by_name.get(name, ()):
            above = module.parent(node)
            makes = isinstance(above, ast.Call) and above.func is node
            used: ast.AST | None = above if makes else node
            over = module.parent(above) if makes and above is not None else above
            if not isinstance(node.ctx, ast.Load):
                continue
            if used not in getattr(over, "decorator_list", ()):
                return False
            decorates = True
    return decorates


__all__ = ["is_of_decorated"]
