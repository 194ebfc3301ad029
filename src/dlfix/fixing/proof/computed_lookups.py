"""Code that looks attributes of an object up by names that it computes: a cached handle is opened there."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from dlfix.fixing.proof import writes
from dlfix.fixing.proof.changes import ClassChange, Regression
from dlfix.fixing.proof.flow_targets import bindings_of
from dlfix.fixing.proof.other_objects import OtherObjects
from dlfix.fixing.proof.program import Class, Program, is_cached
from dlfix.project.module import Module

_LOOKUPS = ("getattr", "hasattr")


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield where code may ask an object of a class for any attribute, of which one is opened when it is read."""
    cached = {name: each for name, each in change.made_lazy.items() if is_cached(each)}
    if not cached:
        return
    family = change.new.family(change.after)
    asked, passing_on = [], list[Class]()
    for module, call in change.new.once(_computed):
        wrapper = _passes_on(change.new, module, call)
        if wrapper is None:
            asked.append((module, call))
        elif _may_ask(change.new, family, module, call):
            passing_on.append(wrapper)
    family += [each for wrapper in passing_on for each in change.new.family(wrapper)]
    for module, call in asked:
        if _may_ask(change.new, family, module, call):
            name, getter = min(cached.items())
            yield change.regression(
                getter,
                f"`{name}` may be looked up by a computed name ({module.path.name}:{call.lineno}), "
                "which now opens the resource",
            )
            return


def _may_ask(program: Program, family: list[Class], module: Module, call: ast.Call) -> bool:
    """Return whether a call may look something up in an object of some classes."""
    return writes.goes_by_known(program, module, call.args[0], family) and not OtherObjects(
        program, family
    ).are_others(module, call.args[0])


def _passes_on(program: Program, module: Module, call: ast.Call) -> Class | None:
    """Return the class whose `__getattr__` looks up by a call what it is asked for itself.

    Such a name is spelled out, or computed, where an object of that class is asked.
    """
    function = program.enclosing(module, call)
    if function is None or function.name not in ("__getattr__", "__getattribute__"):
        return None
    bindings = bindings_of(module, call.args[1])
    if [each.kind for each in bindings] != ["parameter"] or bindings[
        0
    ].node not in function.args.args[1:]:
        return None
    return program.class_at(module, module.parent(function))


def _computed(program: Program) -> Iterator[tuple[Module, ast.Call]]:
    """Yield the calls that look up an attribute whose name is no constant."""
    for word in _LOOKUPS:
        for module in program.project.mentions(word):
            for call in module.calls_by_name.get(word, ()):
                if len(call.args) > 1 and not isinstance(call.args[1], ast.Constant):
                    yield module, call


__all__ = ["check"]
