"""What a process object makes for itself: the one process that it starts is its only user."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from dlfix.reach.instances import is_own
from dlfix.reach.process_roles import used_on_self
from dlfix.reach.values import Class, Instance
from dlfix.rules.reading.handles import is_passed_in

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis
    from dlfix.reach.crossing import Crossing


def is_of_one_process(crossing: Crossing, analysis: Analysis) -> bool:
    """Return whether a process object made what crosses, and nothing but its own process goes on using it."""
    process = crossing.boundary.value
    if not isinstance(process, Instance) or not analysis.interpreter.roles.is_process(process.cls):
        return False
    kept = [each for each in (crossing, *crossing.above()) if each.edge.kind == "attribute"]
    owner = kept[-1].parent if kept else None
    if owner is None or owner.value is not process or any(map(is_passed_in, kept)):
        return False
    name = kept[-1].edge.name
    called = analysis.interpreter.roles.of(process.cls).called
    return not called & _users(name, process.cls, analysis) and not _is_read_outside(name, analysis)


def _users(name: str, cls: Class, analysis: Analysis) -> set[str]:
    """Return the methods of a class that use an attribute, or run one that does."""
    roles = analysis.interpreter.roles
    users = {each for each, node in roles.methods(cls).items() if name in used_on_self(node)}
    return {above for each in users for above in roles.leading_to(cls, each)} - {"__init__"}


def _is_read_outside(name: str, analysis: Analysis) -> bool:
    """Return whether code asks another object than its own for an attribute of that name."""
    return any(
        not is_own(module, each.value)
        for module in analysis.project.mentions(name)
        for each in module.attributes_by_name.get(name, ())
        if isinstance(each.ctx, ast.Load)
    )
