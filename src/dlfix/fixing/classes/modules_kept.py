"""Attributes that hold modules: the state has a module's name, by which another process imports it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from dlfix.fixing.classes.evidence import Culprit
from dlfix.fixing.classes.facts import STARTS, ClassFacts, StoreSite, self_name
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
        is_set = _is_always_set(facts, name)
        if not is_set or _may_be_another(facts, name, around, analysis):
            imports.append("types")
            asked = "" if is_set else f'hasattr(self, "{name}") and '
            is_module = f"{asked}isinstance(self.{name}, types.ModuleType)"
            drops.append(Drop(name, code=f"if {is_module}:\n    {named}"))
            restores.append(f"if {asked}isinstance(self.{name}, str):\n    {imported}")
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
    """Refuse an attribute that may hold something else than a module or None.

    What is no text, as its own attributes are read, may be there instead of a module: it is left as it is.
    """
    where = facts.line(facts.node)
    if around.inputs is None or around.inputs.set_outside(name):
        raise Refusal(f"`{name}` is set outside the class ({where})")
    for related, site in _sites(name, around):
        values = _values(site, related, analysis)
        if not _is_read(facts, name, site) and any(map(_is_object, values)):
            values = []
        if not values or any(
            isinstance(each, Constant) and not _is_absent(each) for each in values
        ):
            at = related.line(site.statement)
            raise Refusal(f"`{name}` may hold something else than a module ({at})")


def _is_always_set(facts: ClassFacts, name: str) -> bool:
    """Return whether the constructor or the class sets an attribute."""
    starts = any(site.method.name in STARTS for site in facts.stores.get(name, ()))
    return starts or _class_default(facts, name) is not None


def _sites(name: str, around: Surroundings) -> Iterator[tuple[ClassFacts, StoreSite]]:
    """Yield where the classes of a family set an attribute."""
    for related in around.inputs.related.all if around.inputs is not None else ():
        yield from ((related, site) for site in related.stores.get(name, ()))


def _values(site: StoreSite, facts: ClassFacts, analysis: Analysis) -> list[Value]:
    if site.value is None:
        return []
    frame = analysis.interpreter.frame_at(facts.module, site.value)
    return analysis.interpreter.values_at(site.value, frame)


def _is_absent(value: Value) -> bool:
    return isinstance(value, Constant) and value.value is None


def _is_object(value: Value) -> bool:
    """Return whether a value is an object that is no module: options that a parser returns, say."""
    return not isinstance(value, (Constant, ModuleValue, Unknown))


def _is_read(facts: ClassFacts, name: str, site: StoreSite) -> bool:
    """Return whether an attribute of the value is read which no text has."""
    me, given = self_name(site.method), getattr(site.value, "id", "")
    for node in ast.walk(facts.node):
        match node:
            case ast.Attribute(value=ast.Attribute(value=ast.Name(id=owner), attr=kept)):
                is_read = owner == me and kept == name
            case ast.Attribute(value=ast.Name(id=owner)):
                is_read = owner == given
            case _:
                continue
        if is_read and not hasattr(str, node.attr):
            return True
    return False


def _may_be_another(facts: ClassFacts, name: str, around: Surroundings, analysis: Analysis) -> bool:
    """Return whether callers, in view or not, may pass something else."""
    return any(
        isinstance(value, Unknown) or _is_object(value)
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
