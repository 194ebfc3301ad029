"""Plan the `__setstate__` that keeps unpickling from calling `__getattr__`: part of `pickle_state`."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dlfix.fixing.plans import Applicability, Edit, Fix, Planned
from dlfix.project.targets import asks_for_state, evaluates_generics
from dlfix.reach.values import Instance
from dlfix.source.text import Span

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.reach.analysis import Analysis
    from dlfix.rules.base import Finding
    from dlfix.rules.reading.unpickling import EndlessLookup


@dataclass(frozen=True)
class AddSetstate:
    """Give a class the `__setstate__` that pickle looks for, or let `__getattr__` say that there is none."""

    cls: Span
    typed: bool = False
    getstate: bool = (
        False  # and the `__getstate__` that pickle asks an object for before Python 3.11
    )
    raises: bool = False  # whether `__getattr__` is to raise AttributeError for them
    asked: str = ""  # what `__getattr__` calls the name it gets


def plan_lookups(findings: Sequence[Finding], analysis: Analysis) -> Iterable[Planned]:
    """Answer for objects that cannot be unpickled: one fix for each class."""
    for finding in findings:
        found: EndlessLookup = finding.evidence
        module = analysis.project.module(found.cls.path)
        asks = not found.attribute or _asks_elsewhere(module, found)
        asks = asks and asks_for_state(module.path)
        asks = asks and not _gives_its_state(analysis, found)
        plan = AddSetstate(found.cls.span, found.typed and evaluates_generics(module), asks)
        named = "`__getstate__` and `__setstate__`" if asks else "`__setstate__`"
        fix = _fix(f"Add {named} to `{found.name}`", found, plan)
        if found.attribute:
            # What holds such an object, and asks it for every name, finds no new state method.
            raising = replace(plan, raises=True, asked=found.asked)
            told = f"Raise AttributeError for {named} in `{found.name}.__getattr__`"
            fix = replace(fix, instead=_fix(told, found, raising))
        yield Planned((finding,), fix)


def _fix(message: str, found: EndlessLookup, plan: AddSetstate) -> Fix:
    return Fix(message, Applicability.SAFE, (Edit(found.cls.path, "pickle_state", plan),))


def _gives_its_state(analysis: Analysis, found: EndlessLookup) -> bool:
    """Return whether the class, or a base, has a `__getstate__`."""
    value = found.crossing.value
    return isinstance(value, Instance) and analysis.method(value.cls, "__getstate__") is not None


def _asks_elsewhere(module: Module, found: EndlessLookup) -> bool:
    """Return whether `__getattr__` calls methods, asks another object or looks in a mapping: each answers pickle in its own way."""
    node = next((each for each in module.classes if module.span(each) == found.cls.span), None)
    methods = (
        {each.name: each for each in node.body if isinstance(each, ast.FunctionDef)} if node else {}
    )
    hook = methods.get("__getattr__")
    return hook is not None and any(_asks(each, hook) for each in ast.walk(hook))


def _asks(node: ast.AST, hook: ast.FunctionDef) -> bool:
    """Return whether an expression calls a method, or looks up elsewhere the name that the hook gets."""
    match node:
        case ast.Call(func=ast.Attribute()):
            return True
        case (
            ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Name(id=name), *_])
            | ast.Subscript(slice=ast.Name(id=name))
        ):
            return name in [each.arg for each in hook.args.args[1:]]
    return False
