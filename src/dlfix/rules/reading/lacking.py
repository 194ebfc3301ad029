"""The loaders whose workers read a module-level name, and do not set it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from dlfix.reach.global_state import GlobalName, Use
from dlfix.reach.worker_code import GlobalRead, WorkerCode, WorkerFunction

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis
    from dlfix.reach.crossing import Boundary, Crossing

_POOLS = ("Pool", "Executor")
_MOST = 100  # boundaries that are asked one by one


def reads_by_boundary(
    name: GlobalName, writes: Iterable[Use]
) -> Iterator[tuple[Boundary, GlobalRead]]:
    """Yield the boundaries whose workers read a name that nothing sets there, each with the first read."""
    for boundary, code in _without(name.analysis, writes):
        read = code.first_reads.get((name.module, name.name))
        if read is not None:
            yield boundary, read


def is_of_some_loaders(writer: WorkerFunction) -> bool:
    """Return whether a function sets up the workers of a loader or pool, as other ones may lack."""
    crossing: Crossing | None = writer.crossing
    while crossing is not None:
        if crossing.edge.name in ("worker_init_fn", "initializer"):
            return True
        crossing = crossing.parent
    return False


def runs_by_boundary(
    analysis: Analysis, function: WorkerFunction, writes: Iterable[Use]
) -> Iterator[tuple[Boundary, WorkerFunction]]:
    """Yield the boundaries whose workers run a function, and nothing that sets what it reads."""
    for boundary, code in _without(analysis, writes):
        if function.node in code.functions:
            yield boundary, code.functions[function.node]


def _without(analysis: Analysis, writes: Iterable[Use]) -> Iterator[tuple[Boundary, WorkerCode]]:
    writes = [*writes]
    # A pool with an initializer that sets it, and a call of the pool, are two boundaries.
    of_pools = False
    found = []
    for boundary in analysis.boundaries[:_MOST]:
        if boundary.workers is False or boundary.kind == "dataset":
            continue
        code = WorkerCode.of_boundary(analysis, boundary)
        if all(code.runs(write.module, write.node) is None for write in writes):
            found.append((boundary, code))
        else:
            of_pools |= boundary.kind in _POOLS
    yield from (each for each in found if not (of_pools and each[0].kind in _POOLS))
