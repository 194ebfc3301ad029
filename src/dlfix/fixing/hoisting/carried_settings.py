"""A setting that one function reads in the workers, carried there by a partial of that function."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from dlfix.fixing import naming
from dlfix.fixing.hoisting.captures import is_typed
from dlfix.fixing.hoisting.line_width import width_of
from dlfix.fixing.plans_callables import CallablesPlan, Expression, Hoist, Parameter, Use
from dlfix.reach.worker_code import WorkerCode

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.reach.analysis import Analysis
    from dlfix.reach.crossing import Boundary
    from dlfix.reach.worker_code import GlobalRead


def carried(
    analysis: Analysis, reads: Sequence[GlobalRead], loaders: Sequence[Boundary]
) -> CallablesPlan | None:
    """Return a plan where a function that loaders are handed is all that reads some names.

    None where more of the workers' code reads them, or the function is used for anything else:
    there a `worker_init_fn` that sets the names is the smaller change.
    """
    function, module = reads[0].function.node, reads[0].function.module
    if not isinstance(function, ast.FunctionDef) or function not in module.tree.body:
        return None
    if not all(
        each.module is module and each.function.node is function and _is_only_reader(analysis, each)
        for each in reads
    ):
        return None
    handed = list(_handed(analysis, module, function.name, loaders))
    taking = _parameters(module, function, [each.name for each in reads])
    if not handed or None in handed or not taking:
        return None
    bound = tuple((parameter, name) for name, parameter in taking.items())
    partial = Expression(function.name, keywords=bound)
    uses = [Use(module.span(each), partial) for each in handed if each is not None]
    uses += _renamed(module, function, taking)
    typed = is_typed(function)
    parameters = [Parameter(p, _type(module, name) if typed else "") for name, p in taking.items()]
    span = module.span(function)
    hoist = Hoist(span, function.name, "stays", span, parameters=tuple(parameters))
    return CallablesPlan((hoist,), tuple(uses), width=width_of(module))


def _parameters(module: Module, function: ast.FunctionDef, names: Sequence[str]) -> dict[str, str]:
    """Return what each name is called as a parameter; empty where the function sets one itself."""
    inner = list(module.inner_scope(function).walk())
    if any(name in scope.bindings or name in scope.globals for name in names for scope in inner):
        return {}
    taken = {name for scope in inner for name in (*scope.bindings, *scope.reads)} - set(names)
    return {name: naming.free_name([name.lower(), name], taken) for name in names}


def _renamed(module: Module, function: ast.FunctionDef, taking: Mapping[str, str]) -> Iterator[Use]:
    for scope in module.inner_scope(function).walk():
        for name, parameter in taking.items():
            if parameter != name:
                for read in scope.reads.get(name, ()):
                    yield Use(module.span(read), Expression(parameter))


def _is_only_reader(analysis: Analysis, read: GlobalRead) -> bool:
    return all(
        each.function.node is read.function.node
        for each in WorkerCode.of(analysis).global_reads()
        if (each.module, each.name) == (read.module, read.name)
    )


def _handed(
    analysis: Analysis, module: Module, name: str, loaders: Sequence[Boundary]
) -> Iterator[ast.Name | None]:
    """Yield where a function is handed to the loaders; None for each other use of it."""
    calls = [loader.node for loader in loaders]
    for other in analysis.project.mentions(name):
        if other is not module:
            yield from (None for _ in other.nodes_by_name.get(name, ()))
    for scope in module.scope.walk():
        if scope.lookup(name) is not module.scope:
            continue
        for read in scope.reads.get(name, ()):
            parent = module.parent(read)
            call = module.parent(parent) if isinstance(parent, ast.keyword) else parent
            yield read if call in calls and getattr(call, "func", None) is not read else None


def _type(module: Module, name: str) -> str:
    values = [each.value for each in module.scope.bindings.get(name, ())]
    types = {type(each.value) if isinstance(each, ast.Constant) else None for each in values}
    only = types.pop() if len(types) == 1 else None
    return "" if only is None or only is type(None) else only.__name__
