"""Classes that a function of another module makes: they name the module where pickle finds them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlfix.fixing.plans_classes import ClassesPlan
from dlfix.project.syntax import last_name
from dlfix.reach.values import Bound, Constant, ExternalCall

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.reach.analysis import Analysis

_MAKERS = frozenset({"namedtuple", "NamedTuple"})  # whose classes pickle by their own name


def naming(made: ExternalCall, analysis: Analysis) -> tuple[Module, str, ClassesPlan] | None:
    """Return a plan that lets a class say where it is: `Point.__module__ = __name__`.

    It must be bound at the top of a module, once, by the name that it is made under. None for other classes.
    """
    call, caller = made.frame.call, made.frame.caller
    if call is None or caller is None or last_name(made.node.func) not in _MAKERS:
        return None
    module = caller.module
    statement = module.parent(call)
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)]) if statement in module.tree.body:
            pass
        case _:
            return None
    if len(module.scope.bindings[name]) != 1 or "__name__" in module.scope.bindings:
        return None
    if name in module.scope.module_globals:
        return None
    given = analysis.values(made.arguments.get(0, "typename"))
    if [each.value for each in given if isinstance(each, Constant)] != [name]:
        return None
    results = analysis.values(Bound(call, caller))
    if len(given) != 1 or len(results) != 1 or results[0] is not made:
        return None
    return module, name, ClassesPlan(named=(module.span(statement),))


__all__ = ["naming"]
