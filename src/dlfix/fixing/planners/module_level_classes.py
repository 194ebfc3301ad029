"""Plans the moves of local classes, and of those under the main guard, to module level."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dlfix.fixing.hoisting import factory_classes, made_elsewhere
from dlfix.fixing.hoisting.captures import CannotHoist
from dlfix.fixing.hoisting.classes import ClassMoves
from dlfix.fixing.hoisting.new_modules import ClassModules, imports_needed
from dlfix.fixing.hoisting.parent_state import refuse_asking
from dlfix.fixing.planners import module_level_callables
from dlfix.fixing.plans import Applicability, Edit, Fix, Planned, Refused
from dlfix.fixing.plans_classes import FactoryPlan
from dlfix.project.module import Module
from dlfix.reach.crossing import Crossing
from dlfix.reach.values import Class, ExternalCall, Function, Instance, Value

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis
    from dlfix.rules.base import Finding

CODEMOD = "module_level_classes"


def plan(findings: Sequence[Finding], analysis: Analysis) -> Iterator[Planned]:
    """Answer each finding; those about one class share a fix, those about functions move as such."""
    moves: dict[Path, ClassModules] = {}
    groups: dict[object, list[Finding]] = {}
    functions = [each for each in findings if isinstance(_value(each), Function)]
    if functions:
        yield from module_level_callables.plan(functions, analysis)
    for finding in findings:
        if finding not in functions:
            groups.setdefault(_made_by(finding) or finding, []).append(finding)
    for made, group in groups.items():
        try:
            yield Planned(tuple(group), _fix(made, group, moves, analysis))
        except CannotHoist as reason:
            yield Planned(tuple(group), Refused(str(reason)))


def _fix(
    made: object, group: list[Finding], moves: dict[Path, ClassModules], analysis: Analysis
) -> Fix:
    finding = group[0]
    value = _value(finding)
    refuse_asking(value, analysis)
    named = made_elsewhere.naming(value, analysis) if isinstance(value, ExternalCall) else None
    if named is not None:
        home, name, plan = named
        message = f"Let the class `{name}` name the module that binds it"
        return Fix(message, Applicability.SAFE, (Edit(home.path, CODEMOD, plan),))
    module = _module_of(finding)
    if module is None or not isinstance(made, ast.AST):
        raise CannotHoist("the class is not defined in this project")
    of_file = ClassMoves(module, analysis.project, analysis.bases_at(module))
    modules = moves.setdefault(module.path, ClassModules(of_file, CODEMOD))
    if isinstance(made, ast.ClassDef):
        if factory_classes.depends(module, made):
            message, again = _made_again(module, made, group, analysis)
            return Fix(message, Applicability.SAFE, (Edit(module.path, CODEMOD, again),))
        message, edits = _moved(made, modules)
        return Fix(message, Applicability.SAFE, edits)
    if not isinstance(made, ast.Call):
        raise CannotHoist("the class is not defined by a `class` statement")
    message, plan = modules.moves.move_made(made)
    return Fix(message, Applicability.SAFE, (Edit(module.path, CODEMOD, plan),))


def _made_again(
    module: Module, node: ast.ClassDef, group: list[Finding], analysis: Analysis
) -> tuple[str, FactoryPlan]:
    """Return how the objects of a class are pickled that its function makes for its arguments."""
    for finding in group:
        crossing = finding.evidence
        if isinstance(crossing, Crossing) and crossing.edge.kind != "class":
            raise CannotHoist(f"the class `{node.name}` is sent itself (line {node.lineno})")
    line = analysis.bases_at(module)(node)
    return factory_classes.plan(module, analysis.project, node, line)


def _moved(node: ast.ClassDef, modules: ClassModules) -> tuple[str, tuple[Edit, ...]]:
    """Return how a class moves to the top of its file, or to a module that its function imports."""
    try:
        message, plan = modules.moves.move(node)
    except CannotHoist:
        if not imports_needed(modules.moves, node):
            raise
        return modules.move(node)
    return message, (Edit(modules.moves.module.path, CODEMOD, plan),)


def _value(finding: Finding) -> Value | None:
    value = getattr(finding.evidence, "value", finding.evidence)
    return value.cls if isinstance(value, Instance) else value


def _made_by(finding: Finding) -> ast.AST | None:
    value = _value(finding)
    return value.node if isinstance(value, (Class, ExternalCall)) else None


def _module_of(finding: Finding) -> Module | None:
    value = _value(finding)
    if isinstance(value, Class):
        return value.module
    return value.frame.module if isinstance(value, ExternalCall) else None
