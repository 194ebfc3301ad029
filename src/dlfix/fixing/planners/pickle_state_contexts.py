"""Plan locks and queues of the context that starts the workers: part of `pickle_state`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from dlfix.fixing.hoisting.line_width import width_of
from dlfix.fixing.plans import Applicability, Edit, Fix, Planned, Refused
from dlfix.fixing.plans_callables import CallablesPlan, Expression, Use
from dlfix.project.order import comes_before
from dlfix.reach.labels import node_of

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.reach.analysis import Analysis
    from dlfix.rules.base import Finding
    from dlfix.rules.reading.contexts import OfAnotherContext


def plan_contexts(findings: Sequence[Finding], analysis: Analysis) -> Iterator[Planned]:
    """Answer for objects of the default context that workers of another are sent."""
    del analysis
    for finding in findings:
        found: OfAnotherContext = finding.evidence
        made = node_of(found.crossing.value)
        func = found.made.func
        if made is None or not isinstance(func, ast.Attribute):
            why = f"`{ast.unparse(func)}` is imported by its name (line {func.lineno})"
            yield Planned((finding,), Refused(why))
            continue
        module = made[1]
        context = _context(found, module)
        becomes = Expression(f"{context}.{func.attr}")
        plan = CallablesPlan(uses=(Use(module.span(func), becomes),), width=width_of(module))
        fix = Fix(
            f"Create the `{func.attr}` with the context of the workers",
            Applicability.SAFE,
            (Edit(module.path, "module_level_callables", plan),),
        )
        yield Planned((finding,), fix)


def _context(found: OfAnotherContext, module: Module) -> str:
    """Return how the context is written: the name that the workers are started with, where it is bound already."""
    func, started = found.made.func, getattr(found.crossing.boundary.node, "func", None)
    owner = getattr(started, "value", None)
    if isinstance(owner, ast.Name) and found.crossing.boundary.frame.module is module:
        scope = module.scope_of(func)
        bindings = scope.bindings.get(owner.id, [])
        same = module.scope_of(owner).lookup(owner.id) is scope and len(bindings) == 1
        value = bindings[0].value if same else None
        if value is not None and "get_context" in ast.unparse(value) and comes_before(value, func):
            return owner.id
    assert isinstance(func, ast.Attribute)
    return f'{ast.unparse(func.value)}.get_context("{found.method}")'
