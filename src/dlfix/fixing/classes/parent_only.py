"""Attributes that stay with the parent: an object crosses for one of its methods, which reads none of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from dlfix.fixing.classes.evidence import Culprit
from dlfix.fixing.classes.facts import self_names_used, whole_uses
from dlfix.fixing.classes.inputs import Inputs, Related
from dlfix.fixing.classes.plans import ClassPlan, Drop
from dlfix.fixing.classes.state import Surroundings, state_for

WHY = "only the parent process uses it"
# What workers call on an object that is sent for itself, not for a method of it.
_CALLED_BY_WORKERS = frozenset(
    "__getitem__ __getitems__ __iter__ __next__ __call__ forward __getattr__ __getattribute__ __del__".split()
)


def plan_for_parent(group: Sequence[Culprit], around: Surroundings) -> ClassPlan | None:
    """Plan a state without some handles, where no worker uses them; None where one may."""
    facts, inputs = group[0].facts, around.inputs
    if inputs is None or not all(each.sender for each in group):
        return None
    names = list(dict.fromkeys(each.attribute for each in group))
    sent = {each.sender for each in group} | set(_methods_handed_on(inputs))
    if not _is_sent_for_methods(inputs.related) or _used(inputs.related, sent) & {
        *names,
        "__dict__",
    }:
        return None
    drops = tuple(Drop(name, why=WHY if not index else "") for index, name in enumerate(names))
    state = state_for(facts, drops, (), around)
    if state is None:
        return None
    after = "__init__" if "__init__" in facts.methods else facts.all_methods[0].name
    return ClassPlan(cls=facts.module.span(facts.node), state=state, after=after)


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
