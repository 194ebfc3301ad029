"""Plan the `__getnewargs__` of tuples whose `__new__` takes their items one by one: part of `pickle_state`."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dlfix.fixing.plans import Applicability, Edit, Fix, Planned, Refused
from dlfix.project.syntax import is_super, parameters
from dlfix.project.targets import evaluates_generics
from dlfix.reach.values import Class, External, Instance
from dlfix.rules.reading.unpickling import OWN_MAKING, made_with_arguments
from dlfix.source.text import Span

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis
    from dlfix.rules.base import Finding

# Methods by which a tuple could give other items than it holds.
_ITERATING = frozenset({"__iter__", "__getattribute__"})
_TUPLES = frozenset({"tuple", "builtins.tuple", "typing.Tuple"})


@dataclass(frozen=True)
class AddNewArguments:
    """Give a tuple the `__getnewargs__` that passes its items to `__new__` again."""

    cls: Span
    typed: bool = False


def made_of(finding: Finding, analysis: Analysis) -> Instance | None:
    """Return the object that a finding is about, if its class takes arguments that pickle does not pass."""
    value = getattr(finding.evidence, "value", None) if finding.code == "DLF206" else None
    if not isinstance(value, Instance) or made_with_arguments(value, analysis) is None:
        return None
    return value


def plan_new_arguments(findings: Sequence[Finding], analysis: Analysis) -> Iterable[Planned]:
    """Answer for objects that pickle makes without their arguments: one fix for each class."""
    groups: dict[object, list[Finding]] = {}
    for finding in findings:
        value = made_of(finding, analysis)
        owner = _owner(analysis, value) if value is not None else None
        groups.setdefault(owner or id(finding), []).append(finding)
    for group in groups.values():
        value = made_of(group[0], analysis)
        assert value is not None
        yield Planned(tuple(group), _fix(analysis, value))


def _fix(analysis: Analysis, value: Instance) -> Fix | Refused:
    row, owner = made_with_arguments(value, analysis), _owner(analysis, value)
    assert row is not None
    new = _new_of(owner) if owner is not None else None
    if owner is None or new is None or not _is_plain_tuple(analysis, owner):
        return Refused(row.note)
    if not _holds_its_arguments(owner, new):
        return Refused(row.note)
    module = owner.module
    plan = AddNewArguments(
        module.span(owner.node), new.returns is not None and evaluates_generics(module)
    )
    return Fix(
        f"Add `__getnewargs__` to `{owner.name}` to pass its items to `__new__`",
        Applicability.SAFE,
        (Edit(module.path, "pickle_state", plan),),
    )


def _owner(analysis: Analysis, value: Instance) -> Class | None:
    """Return the class that defines the `__new__` of an object."""
    line = [each for each in analysis.mro(value.cls) if isinstance(each, Class)]
    return next((each for each in line if "__new__" in each.body_names()), None)


def _new_of(owner: Class) -> ast.FunctionDef | None:
    found = [
        each for each in owner.node.body
        if isinstance(each, ast.FunctionDef) and each.name == "__new__"
    ]  # fmt: skip
    return found[0] if len(found) == 1 and not found[0].decorator_list else None


def _is_plain_tuple(analysis: Analysis, owner: Class) -> bool:
    """Return whether a class is a tuple that is gone through as one, and no heir is made in another way."""
    line = analysis.interpreter.instances.mro(owner)
    heirs = analysis.interpreter.instances.subclasses(owner)
    of_tuple = any(isinstance(each, External) and each.name in _TUPLES for each in line)
    own = [each for each in (*line, *heirs) if isinstance(each, Class)]
    names = [each.body_names() for each in own]
    other_ways = any(
        each is not owner
        and ("__new__" in each.body_names() or {*OWN_MAKING} & {*each.body_names()})
        for each in own
    )
    return of_tuple and not other_ways and not any(_ITERATING & {*each} for each in names)


def _holds_its_arguments(owner: Class, new: ast.FunctionDef) -> bool:
    """Return whether `__new__` ends with a tuple of all its parameters in order, as it was given them."""
    given = new.args
    others = given.vararg or given.kwarg or given.kwonlyargs
    returns = [each for each in ast.walk(new) if isinstance(each, ast.Return)]
    bindings = owner.module.inner_scope(new).bindings
    names = parameters(new)
    if others or len(returns) != 1 or new.body[-1] is not returns[0]:
        return False
    if any(len(bindings[name]) != 1 for name in names):
        return False
    items = _items_made(returns[0].value, names[0])
    return [each.id if isinstance(each, ast.Name) else "" for each in items] == names[1:]


def _items_made(made: ast.expr | None, cls: str) -> list[ast.expr]:
    """Return the items of `tuple.__new__(cls, [a, b])`, or of `super().__new__(cls, (a, b))`."""
    match made:
        case ast.Call(
            func=ast.Attribute(value=owner, attr="__new__"),
            args=[ast.Name(id=name), ast.List(elts=items) | ast.Tuple(elts=items)],
            keywords=[],
        ) if name == cls:
            is_tuple = isinstance(owner, ast.Name) and owner.id == "tuple"
            return items if is_tuple or is_super(owner) else []
    return []
