"""Attributes that stay with the parent: only the constructor reads them, or what the object crosses for does not."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from dlfix.fixing.classes.evidence import Culprit
from dlfix.fixing.classes.facts import (
    STARTS,
    is_self_attribute,
    self_name,
    self_names_used,
    whole_uses,
)
from dlfix.fixing.classes.inputs import Inputs, Related, method_around
from dlfix.fixing.classes.plans import ClassPlan, Drop
from dlfix.fixing.classes.state import Surroundings, state_for
from dlfix.project.module import Module

WHY = "only the parent process uses it"
# What workers call on an object that is sent for itself, not for a method of it.
_CALLED_BY_WORKERS = frozenset(
    "__getitem__ __getitems__ __iter__ __next__ __call__ forward __getattr__ __getattribute__ __del__".split()
)


def plan_for_parent(group: Sequence[Culprit], around: Surroundings) -> ClassPlan | None:
    """Plan a state without some handles, where no worker uses them; None where one may."""
    facts, inputs = group[0].facts, around.inputs
    names = list(dict.fromkeys(each.attribute for each in group))
    if inputs is None or not (_stays(group, names, inputs) or _is_only_made(group, inputs)):
        return None
    drops = tuple(Drop(name, why=WHY if not index else "") for index, name in enumerate(names))
    state = state_for(facts, drops, (), around)
    if state is None:
        return None
    after = "__init__" if "__init__" in facts.methods else facts.all_methods[0].name
    return ClassPlan(cls=facts.module.span(facts.node), state=state, after=after)


def _stays(group: Sequence[Culprit], names: Sequence[str], inputs: Inputs) -> bool:
    """Return whether objects are sent for methods that read none of some attributes."""
    if not all(each.sender for each in group) or not _is_sent_for_methods(inputs.related):
        return False
    sent = {each.sender for each in group} | set(_methods_handed_on(inputs))
    return not _used(inputs.related, sent) & {*names, "__dict__"}


def _is_only_made(group: Sequence[Culprit], inputs: Inputs) -> bool:
    """Return whether nothing but constructors reads some attributes: a manager, whose proxies are kept besides."""
    names = {each.attribute for each in group}
    if not all(each.row is not None and each.row.kind == "sync" for each in group):
        return False
    makers = _makers(inputs)
    making = {
        id(node)
        for facts in inputs.related.all
        for name in names
        for method, node in facts.reads.get(name, ())
        if method.name in makers
    }
    return not any(
        isinstance(node.ctx, ast.Load) and id(node) not in making
        for name in names
        for module in inputs.project.mentions(name)
        for node in module.attributes_by_name.get(name, ())
        if not _is_of_another(module, node, inputs.related)
    )


def _makers(inputs: Inputs) -> set[str]:
    """Return the constructors of a class, and the methods that nothing but these calls."""
    found = set(STARTS)
    names = {name for facts in inputs.related.all for name in facts.methods if name not in STARTS}
    while more := {name for name in names - found if _is_called_within(name, found, inputs)}:
        found |= more
    return found


def _is_called_within(name: str, methods: set[str], inputs: Inputs) -> bool:
    """Return whether all code that has the name of a method calls it in some methods of the class."""
    calls = [
        (module, node)
        for module in inputs.project.mentions(name)
        for node in module.nodes_by_name.get(name, ())
        if not _is_of_another(module, node, inputs.related)
    ]
    return bool(calls) and all(
        isinstance(parent := module.parent(node), ast.Call)
        and parent.func is node
        and getattr(method_around(module, node), "name", "") in methods
        for module, node in calls
    )


def _is_of_another(module: Module, node: ast.expr, related: Related) -> bool:
    """Return whether an attribute is that of the object of another class's method."""
    method = method_around(module, node)
    owner = module.parent(method) if method is not None else None
    return (
        method is not None
        and isinstance(node, ast.Attribute)
        and is_self_attribute(node, self_name(method))
        and isinstance(owner, ast.ClassDef)
        and owner not in related.nodes
        and all(owner is not facts.node for facts in related.all)
    )


def _is_sent_for_methods(related: Related) -> bool:
    """Return whether nothing can send an object of a class but for a method that it is asked for."""
    for facts in related.all:
        if not _CALLED_BY_WORKERS.isdisjoint(facts.methods):
            return False
        if facts.node.bases and "run" in facts.methods:
            return False  # it may be a process
        if any(use for method in facts.all_methods for use in whole_uses(facts, method)):
            return False
    return True


def _methods_handed_on(inputs: Inputs) -> Iterator[str]:
    """Yield the methods of a class that some code names without calling them."""
    for facts in inputs.related.all:
        for name in facts.methods:
            for module in inputs.project.mentions(name):
                for node in module.nodes_by_name.get(name, ()):
                    parent = module.parent(node)
                    called = isinstance(parent, ast.Call) and parent.func is node
                    if isinstance(node, ast.Attribute) and not called:
                        yield name


def _used(related: Related, methods: set[str]) -> set[str]:
    """Return the attributes that some methods read or set, with what they call on the object."""
    found: set[str] = set()
    todo = list(methods)
    while todo:
        name = todo.pop()
        if name in found:
            continue
        found.add(name)
        for facts in related.all:
            for method in facts.all_methods:
                if method.name == name:
                    todo += self_names_used(method)
    return found
