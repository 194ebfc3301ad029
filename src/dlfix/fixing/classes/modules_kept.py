"""Attributes that hold modules: the state has a module's name, by which another process imports it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from dlfix.fixing.classes.evidence import Culprit
from dlfix.fixing.classes.facts import STARTS, ClassFacts, StoreSite
from dlfix.fixing.classes.handles import Refusal
from dlfix.fixing.classes.plans import ClassPlan, Drop
from dlfix.fixing.classes.state import Surroundings, state_for
from dlfix.project.syntax import is_none
from dlfix.reach.values import Constant, ModuleValue, Unknown, Value

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis

_WHY = "a module is pickled by its name"


def plan_modules(kept: Sequence[Culprit], around: Surroundings, analysis: Analysis) -> ClassPlan:
    """Plan attributes that hold modules, or None."""
    facts = kept[0].facts
    drops, restores = list[Drop](), list[str]()
    imports = ["importlib"]
    for name in dict.fromkeys(each.attribute for each in kept):
        _refuse_other_values(facts, name, around, analysis)
        named = f'state["{name}"] = self.{name}.__name__'
        imported = facts.setting(name, f"importlib.import_module(self.{name})")
        if _may_be_unseen(facts, name, around, analysis):
            imports.append("types")
            drops.append(
                Drop(name, code=f"if isinstance(self.{name}, types.ModuleType):\n    {named}")
            )
            restores.append(f"if isinstance(self.{name}, str):\n    {imported}")
        elif _may_be_none(facts, name, around):
            drops.append(Drop(name, code=f"if self.{name} is not None:\n    {named}"))
            restores.append(f"if self.{name} is not None:\n    {imported}")
        else:
            drops.append(Drop(name, f"self.{name}.__name__", why="" if drops else _WHY))
            restores.append(imported)
    after = kept[-1].site.method.name
    return ClassPlan(
        cls=facts.module.span(facts.node),
        state=state_for(facts, tuple(drops), tuple(restores), around),
        after=after if after in STARTS else "",
        imports=tuple(dict.fromkeys(imports)),
    )


def _refuse_other_values(
    facts: ClassFacts, name: str, around: Surroundings, analysis: Analysis
) -> None:
    """Refuse an attribute that may hold something else than a module or None, or may not be there."""
    where = facts.line(facts.node)
    if around.inputs is None or around.inputs.set_outside(name):
        raise Refusal(f"`{name}` is set outside the class ({where})")
    for related, site in _sites(name, around):
        values = _values(site, related, analysis)
        if not values or any(_is_other(each) for each in values):
            at = related.line(site.statement)
            raise Refusal(f"`{name}` may hold something else than a module ({at})")
    starts = any(site.method.name in STARTS for site in facts.stores.get(name, ()))
    if _class_default(facts, name) is None and not starts:
        raise Refusal(f"`{name}` may not be set ({where})")


def _sites(name: str, around: Surroundings) -> Iterator[tuple[ClassFacts, StoreSite]]:
    """Yield where the classes of a family set an attribute."""
    for related in around.inputs.related.all if around.inputs is not None else ():
        yield from ((related, site) for site in related.stores.get(name, ()))


def _values(site: StoreSite, facts: ClassFacts, analysis: Analysis) -> list[Value]:
    if site.value is None:
        return []
    frame = analysis.interpreter.frame_at(facts.module, site.value)
    return analysis.interpreter.values_at(site.value, frame)


def _is_other(value: Value) -> bool:
    is_absent = isinstance(value, Constant) and value.value is None
    return not (is_absent or isinstance(value, (ModuleValue, Unknown)))


def _may_be_unseen(facts: ClassFacts, name: str, around: Surroundings, analysis: Analysis) -> bool:
    """Return whether callers out of view may pass something else."""
    return any(
        isinstance(value, Unknown)
        for related, site in _sites(name, around)
        for value in _values(site, related, analysis)
    )


def _may_be_none(facts: ClassFacts, name: str, around: Surroundings) -> bool:
    """Return whether an attribute is None at times."""
    default = _class_default(facts, name)
    resets = any(site.resets for _, site in _sites(name, around))
    return resets or (default is not None and is_none(default))


def _class_default(facts: ClassFacts, name: str) -> ast.expr | None:
    """Return what the body of a class sets a name to."""
    for statement in facts.node.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=target)], value=value) if target == name:
                return value
            case ast.AnnAssign(target=ast.Name(id=target), value=value) if target == name:
                return value
    return None
