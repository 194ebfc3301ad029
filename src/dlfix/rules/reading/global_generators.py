"""Generators of random numbers in a module's globals, which code in workers draws from."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.project.trees import walk
from dlfix.reach.global_state import GlobalName
from dlfix.reach.starts import never_forks
from dlfix.reach.values import Derived, ExternalCall
from dlfix.reach.worker_code import GlobalRead, WorkerCode
from dlfix.rules.reading import randomness
from dlfix.rules.reading.names import words

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.reach.analysis import Analysis
    from dlfix.reach.values import Value

# Processes that share work; several of `Process` may well do different things.
_ALIKE = ("DataLoader", "Trainer", "dataset", "Pool", "Executor")
_NOT_DRAWING = randomness.SEED_METHODS | {"getstate", "get_state", "bit_generator", "initial_seed"}


def drawn_by_workers(analysis: Analysis) -> Iterator[tuple[GlobalRead, ExternalCall | Derived]]:
    """Yield the generators that every worker gets the same copy of, by fork or by its own import."""
    seen: set[tuple[Module, str]] = set()
    for read in WorkerCode.of(analysis).global_reads():
        key = (read.module, read.name)
        if key in seen or read.function.crossing.boundary.kind not in _ALIKE:
            continue
        if not _draws(read):
            continue
        seen.add(key)
        value = _generator(GlobalName(analysis, *key), analysis)
        if value is not None and _is_alike(read, value, analysis):
            yield read, value


def kind_of(value: Value) -> str | None:
    """Return what makes a generator, by its dotted name; None for what is none."""
    match value:
        case ExternalCall(name=name) if name in randomness.GENERATORS:
            return name
        case Derived(origin=ExternalCall(name="torch.Generator"), how="manual_seed"):
            return "torch.Generator"
    return None


def _draws(read: GlobalRead) -> bool:
    """Return whether a function calls a method of a global that gives numbers."""
    return any(
        isinstance(call.func, ast.Attribute)
        and call.func.attr not in _NOT_DRAWING
        and ast.dump(call.func.value) == ast.dump(read.node)
        for call in walk(read.function.node)
        if isinstance(call, ast.Call)
    )


def _generator(name: GlobalName, analysis: Analysis) -> ExternalCall | Derived | None:
    """Return the generator that an import puts into a global, where nothing else does."""
    found = [r.value for r in analysis.interpreter.global_name(name.module, name.name)]
    value = found[0] if len(found) == 1 else None
    if not isinstance(value, (ExternalCall, Derived)) or kind_of(value) is None:
        return None
    return value if value.frame.scope.is_module else None


def _is_alike(read: GlobalRead, value: ExternalCall | Derived, analysis: Analysis) -> bool:
    """Return whether no worker seeds a generator for itself, or asks which worker it is."""
    boundary = read.function.crossing.boundary
    is_seeded = isinstance(value, Derived) or bool(value.node.args or value.node.keywords)
    if not is_seeded and never_forks(analysis, boundary):
        return False
    if boundary.arguments.get("worker_init_fn") is not None:
        return False
    modules = (read.module, read.function.module)
    if any(randomness.RESEEDING & words(module.tree) for module in modules):
        return False
    code = WorkerCode.of(analysis)
    return not any(_seeds(function.node, read.name) for function in code.functions.values())


def _seeds(function: ast.AST, name: str) -> bool:
    """Return whether code sets a global generator, or seeds it."""
    for node in walk(function):
        match node:
            case ast.Global(names=names) if name in names:
                return True
            case ast.Call(func=ast.Attribute(value=owner, attr=attr)):
                if attr in randomness.SEED_METHODS and name in words(owner):
                    return True
            case ast.Attribute(attr=attr, ctx=ast.Store()) if attr in (
                name,
                "state",
                "bit_generator",
            ):
                return True
    return False
