"""What is likely to cross: given to a call out of view that may start workers, or that makes what does cross.

The first get a dataset or a number of workers. The second are named like classes, which mostly keep what they get.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from dlfix.catalog import BoundaryRow
from dlfix.reach.boundaries import is_out_of_view
from dlfix.reach.conditions import is_dead
from dlfix.reach.crossing import Boundary, Crossing
from dlfix.reach.object_graph import Walk
from dlfix.reach.starts import only_forks
from dlfix.reach.values import (
    Argument,
    Constant,
    ExternalCall,
    Instance,
)

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.reach.analysis import Analysis
    from dlfix.reach.values import Value

# What loaders hand to their workers, wherever they are.
_HANDED = ("collate_fn", "worker_init_fn", "transform", "target_transform")
_COUNTS = ("num_workers", "n_workers", "dataloader_num_workers", "workers")
WORDS = tuple(name.encode() for name in _HANDED)
_ROW = BoundaryRow(
    "a call that the analysis cannot resolve", kind="likely", crosses=_HANDED, workers="num_workers"
)


def likely_crossings(analysis: Analysis) -> Iterator[Crossing]:
    """Yield what is likely to cross, and is not known to."""
    for boundary in _boundaries(analysis):
        yield from _below(Walk(analysis.interpreter).from_boundary(boundary))


def kept_out_of_view(analysis: Analysis) -> Iterator[Crossing]:
    """Yield what objects that cross are likely to keep, made by classes out of view of what they get."""
    waiting = [c for c in analysis.crossings if c.boundary.workers is not False][::-1]
    seen: set[ast.Call] = set()
    while waiting:
        holder = waiting.pop()
        value = holder.value
        if not isinstance(value, ExternalCall) or not _may_keep(value, analysis):
            continue
        if value.node in seen or holder.edge.kind == "returned":
            continue
        seen.add(value.node)
        for crossing in _kept(value, analysis):
            found = replace(crossing, path=(*holder.path, *crossing.path[1:]))
            waiting.append(found)
            yield found


def _may_keep(value: ExternalCall, analysis: Analysis) -> bool:
    """Return whether a call out of view makes an object, by its name: `Compose`, not `compose`."""
    last = value.name.rpartition(".")[2].lstrip("_")
    is_class = last[:1].isupper() and not last.isupper()
    return is_class and not analysis.catalog.knows(value.name)


def _kept(value: ExternalCall, analysis: Analysis) -> Iterator[Crossing]:
    """Yield all that hangs from the arguments of a call."""
    numbered = enumerate(value.arguments.positional, 1)
    arguments = {f"argument {place}": each for place, each in numbered}
    arguments |= value.arguments.keywords
    row = BoundaryRow(
        "a class that the analysis cannot resolve", kind="likely", crosses=tuple(arguments)
    )
    boundary = Boundary(row.kind, value.node, value.frame, arguments, None, None, row)
    yield from _below(Walk(analysis.interpreter).from_boundary(boundary))


def _below(root: Crossing) -> Iterator[Crossing]:
    pending = [root]
    while pending:
        crossing = pending.pop()
        pending += reversed(crossing.children)
        if crossing.parent is not None:
            yield crossing


def _boundaries(analysis: Analysis) -> Iterator[Boundary]:
    project = analysis.project
    known = {boundary.node for boundary in analysis.boundaries}
    for path in project.using(WORDS):
        module = project.get(path)
        for call in module.calls if module is not None else ():
            if call not in known and any(each.arg in _HANDED for each in call.keywords):
                yield from _boundary(call, module, analysis)  # type: ignore[arg-type]


def _boundary(call: ast.Call, module: Module, analysis: Analysis) -> Iterator[Boundary]:
    frame = analysis.frame(module.scope_of(call))
    callees = [reached.value for reached in analysis.evaluate(call.func, frame)]
    if not all(is_out_of_view(callee, analysis.catalog) for callee in callees):
        return
    given = analysis.interpreter.calls.arguments(call, frame)
    arguments = {str(place): each for place, each in enumerate(given.positional)}
    arguments |= given.keywords
    if not _may_start_workers(arguments, analysis) or is_dead(call, frame, analysis.interpreter):
        return
    boundary = Boundary(_ROW.kind, call, frame, arguments, None, None, _ROW)
    if not only_forks(analysis, boundary):
        yield boundary


def _may_start_workers(arguments: dict[str, Argument], analysis: Analysis) -> bool:
    for name in _COUNTS:
        if name in arguments:
            return any(value != Constant(0) for value in analysis.values(arguments[name]))
    return any(
        _is_dataset(value, analysis)
        for name, argument in arguments.items()
        if name not in _HANDED
        for value in analysis.values(argument)
    )


def _is_dataset(value: Value, analysis: Analysis) -> bool:
    if isinstance(value, Instance):
        return analysis.is_dataset(value.cls)
    return isinstance(value, ExternalCall) and analysis.catalog.dataset(value.name) is not None
