"""What a library's object keeps of what it is given by position, and which expressions may give it again."""

from __future__ import annotations

import ast

from dlfix.catalog import load
from dlfix.fixing.proof.computed_names import passed_for
from dlfix.fixing.proof.flow_targets import Targets, bindings_of
from dlfix.fixing.proof.observed_values import observed
from dlfix.fixing.proof.syntax import within
from dlfix.project.library_names import imported_as
from dlfix.project.module import Module

_FAR = 6  # steps from a question to what the asked value is bound to


def kept_under(module: Module, call: ast.Call, given: ast.AST) -> frozenset[str]:
    """Return the parameter and the attribute that get a positional argument, where the catalogue knows the callee."""
    name = imported_as(module, call.func)
    row = (load().holder(name) or load().boundary(name)) if name else None
    if row is None or given not in call.args:
        return frozenset()
    index = call.args.index(given)
    before = any(isinstance(each, ast.Starred) for each in call.args[: index + 1])
    if before or index >= len(row.parameters):
        return frozenset()
    parameter = row.parameters[index]
    keeps = getattr(row, "keeps", {})
    return frozenset({parameter, keeps.get(parameter, parameter)})


def may_ask_it(targets: Targets, module: Module, node: ast.AST) -> bool:
    """Return whether a question may be of what a library's object keeps under a name that is not known."""
    asked = observed(module, node)
    return asked is None or _may_give(targets, module, asked, _FAR, set())


def _may_give(
    targets: Targets, module: Module, value: ast.AST, far: int, met: set[ast.AST]
) -> bool:
    """Return whether an expression reads an attribute that no code of the project sets, or a variable that got one."""
    if far == 0:
        return True
    if value in met:
        return False
    met.add(value)
    return any(_reads_unseen(targets, module, each, far, met) for each in within(value))


def _reads_unseen(
    targets: Targets, module: Module, node: ast.AST, far: int, met: set[ast.AST]
) -> bool:
    match node:
        case ast.Attribute(attr="__dict__"):
            return True
        case ast.Attribute(attr=attr):
            above = module.parent(node)
            is_called = isinstance(above, ast.Call) and above.func is node
            return not attr.startswith("__") and not is_called and targets.is_nobodys(module, node)
        case ast.Call(func=ast.Name(id="getattr" | "vars")):
            return True
        case ast.Name(ctx=ast.Load()):
            bindings = bindings_of(module, node)
            values = [(module, each.value) for each in bindings if each.value is not None]
            if any(each.kind == "parameter" for each in bindings):
                passed = passed_for(targets.program, module, node)
                values += ((home, given) for home, _, given in passed)
            return any(_may_give(targets, home, each, far - 1, met) for home, each in values)
    return False


__all__ = ["kept_under", "may_ask_it"]
