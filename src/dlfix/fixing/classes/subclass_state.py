"""State methods of heirs that stand in for those a fix gives to a class."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from dlfix.fixing.classes.facts import ClassFacts, Method
from dlfix.fixing.classes.hierarchy import family_of
from dlfix.fixing.classes.plans import ClassPlan, Drop, State
from dlfix.fixing.classes.text import names_in
from dlfix.project.module import Module
from dlfix.project.trees import walk
from dlfix.reach.analysis import Analysis

Planned = tuple[ClassFacts, ClassPlan]


def with_heirs(planned: Sequence[Planned], analysis: Analysis) -> list[Planned]:
    """Add what the heirs' own state methods must do: those never ask the ones of the class."""
    found = {facts.node: (facts, plan) for facts, plan in planned}
    for facts, plan in planned:
        if plan.state is None:
            continue
        for heir in family_of(analysis, facts).heirs:
            lacking = _lacking(plan.state, heir)
            imports = _imports(lacking, facts.module, heir.module)
            if lacking is not None and imports is not None:
                _, known = found.get(heir.node, (heir, ClassPlan(heir.module.span(heir.node))))
                found[heir.node] = (
                    heir,
                    replace(
                        known,
                        state=_joined(known.state, lacking),
                        imports=(*known.imports, *imports),
                    ),
                )
    return list(found.values())


def _lacking(state: State, heir: ClassFacts) -> State | None:
    """Return what an heir's state methods must do besides; None where nothing."""
    getstate, setstate = (heir.state_method(name) for name in ("__getstate__", "__setstate__"))
    drops: tuple[Drop, ...] = ()
    if getstate is not None and _copies_all(heir, getstate):
        drops = tuple(each for each in state.drops if not _speaks_of(getstate, each.name))
    restores = state.restores if setstate is not None and not _asks_base(setstate) else ()
    if not drops and not restores:
        return None
    return State(
        drops,
        restores,
        "own" if drops else "inherited",
        "own" if restores else "inherited",
        called=getstate.name if getstate is not None else "__getstate__",
    )


def _imports(state: State | None, base: Module, heir: Module) -> tuple[str, ...] | None:
    """Return the modules that an heir's module must import; None where it would need more than that."""
    if state is None or base is heir:
        return ()
    read = names_in(ast.parse(text) for text in state.restores)
    needed = sorted(read & base.scope.bindings.keys())
    if not all(_is_plain_import(base, name) for name in needed):
        return None
    lacking = [name for name in needed if name not in heir.scope.bindings]
    same = all(_is_plain_import(heir, name) for name in needed if name not in lacking)
    return tuple(lacking) if same else None


def _is_plain_import(module: Module, name: str) -> bool:
    """Return whether a name is what `import name` binds, and nothing else."""
    bindings = module.scope.bindings[name]
    return all(
        isinstance(each.statement, ast.Import)
        and isinstance(each.node, ast.alias)
        and (each.node.name, each.node.asname) == (name, None)
        for each in bindings
    )


def _joined(state: State | None, lacking: State) -> State:
    """Return a state whose methods do both."""
    if state is None:
        return lacking
    return replace(
        state,
        drops=tuple(dict.fromkeys([*state.drops, *lacking.drops])),
        restores=tuple(dict.fromkeys([*state.restores, *lacking.restores])),
        getstate="own" if "own" in (state.getstate, lacking.getstate) else state.getstate,
        setstate="own" if "own" in (state.setstate, lacking.setstate) else state.setstate,
        called=lacking.called,
    )


def _copies_all(heir: ClassFacts, getstate: Method) -> bool:
    text = heir.module.segment(getstate)
    return ("__dict__" in text or "vars(" in text) and not _asks_base(getstate)


def _asks_base(method: Method) -> bool:
    """Return whether a state method calls the one that it overrides: by `super()` or by a base's name."""
    return any(
        isinstance(each, ast.Call)
        and isinstance(each.func, ast.Attribute)
        and each.func.attr == method.name
        for each in walk(method)
    )


def _speaks_of(method: Method, name: str) -> bool:
    return any(isinstance(each, ast.Constant) and each.value == name for each in walk(method))
