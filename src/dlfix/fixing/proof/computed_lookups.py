"""Code that looks attributes of an object up by names that it computes: a cached handle is opened there."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set

from dlfix.fixing.proof import writes
from dlfix.fixing.proof.changes import ClassChange, Regression, attributes_set
from dlfix.fixing.proof.flow_targets import bindings_of
from dlfix.fixing.proof.other_objects import OtherObjects
from dlfix.fixing.proof.program import Class, Program, is_cached
from dlfix.project.module import Module

_LOOKUPS = ("getattr", "hasattr")


def check(change: ClassChange) -> Iterator[Regression]:
    """Yield where code may ask an object of a class for any attribute, of which one is opened when it is read, or gone."""
    yield from _looked_up_in_vain(change)
    cached = {name: each for name, each in change.made_lazy.items() if is_cached(each)}
    if not cached:
        return
    family = change.new.family(change.after)
    asked, passing_on = [], list[Class]()
    for module, call in change.new.once(_computed):
        texts = _texts_of(module, call.args[1])
        if texts is not None and texts.isdisjoint(cached):
            continue
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


def _looked_up_in_vain(change: ClassChange) -> Iterator[Regression]:
    """Yield where code asks by a text, or by a name that it computes, for an attribute that objects no longer have."""
    family = change.new.family(change.after)
    left = {name for cls in family for name in (*attributes_set(cls), *cls.methods, *cls.getters)}
    gone = attributes_set(change.before).keys() - left
    if not gone:
        return
    for module, call in [*_spelled_out(change.new, gone), *change.new.once(_computed)]:
        texts = _texts_of(module, call.args[1])
        is_other = texts is not None and texts.isdisjoint(gone)
        if is_other or _passes_on(change.new, module, call) is not None:
            continue
        own = change.new.class_of_self(module, call.args[0])
        if own in family if own is not None else _may_ask(change.new, family, module, call):
            yield change.regression(
                change.after.node,
                f"`{min(gone)}` may be looked up by its name ({module.path.name}:{call.lineno}), but "
                f"instances of `{change.after.name}` no longer have it",
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


def _texts_of(module: Module, name: ast.expr) -> set[object] | None:
    """Return the texts that a loop goes through, of which a name has one; None where others may be among them."""
    if isinstance(name, ast.Constant):
        return {name.value}
    bindings = bindings_of(module, name)
    found: set[object] = set()
    for binding in bindings:
        is_item = binding.kind == "for" and len(binding.path) == 1
        texts = _spelled_in(module, binding.value) if is_item else None
        if texts is None:
            return None
        found |= texts
    return found if bindings else None


def _spelled_in(module: Module, source: ast.expr | None) -> set[object] | None:
    """Return the items of a list, or of a variable that is only gone through; None where one is not spelled out."""
    if isinstance(source, ast.Name):
        scope = module.scope_of(source).lookup(source.id)
        reads = [
            each
            for inner in (scope.walk() if scope else ())
            for each in inner.reads.get(source.id, ())
        ]
        bindings = bindings_of(module, source)
        plain = len(bindings) == 1 and bindings[0].kind == "assign" and not bindings[0].path
        if not plain or any(
            getattr(module.parent(each), "iter", None) is not each for each in reads
        ):
            return None
        source = bindings[0].value
    if not isinstance(source, (ast.List, ast.Tuple, ast.Set)):
        return None
    texts: set[object] = {each.value for each in source.elts if isinstance(each, ast.Constant)}
    return texts if all(isinstance(each, ast.Constant) for each in source.elts) else None


def _spelled_out(program: Program, names: Set[str]) -> Iterator[tuple[Module, ast.Call]]:
    """Yield the calls that look up one of some attributes by a constant."""
    for name in sorted(names):
        for module in program.project.mentions(name):
            for word in _LOOKUPS:
                for call in module.calls_by_name.get(word, ()):
                    asked = call.args[1] if len(call.args) > 1 else None
                    if isinstance(asked, ast.Constant) and asked.value == name:
                        yield module, call


def _computed(program: Program) -> Iterator[tuple[Module, ast.Call]]:
    """Yield the calls that look up an attribute whose name is no constant."""
    for word in _LOOKUPS:
        for module in program.project.mentions(word):
            for call in module.calls_by_name.get(word, ()):
                if len(call.args) > 1 and not isinstance(call.args[1], ast.Constant):
                    yield module, call


__all__ = ["check"]
