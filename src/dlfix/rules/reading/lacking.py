"""The loaders whose workers read what the parent sets, and do not set it themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from dlfix.reach.entry_points import Entries, Entry, is_before, may_belong
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


def set_before(
    analysis: Analysis, function: WorkerFunction, writes: Sequence[Use], *, around: bool = False
) -> tuple[WorkerFunction, list[tuple[Use, Entry]]] | None:
    """Return the writes that the parent alone makes before the workers of a function start; None if others make them.

    The function is the same one in workers that make none of them, where its own do. `around` takes the writes that run
    the program, too, as `app.run(main)` does.
    """
    code, entries = WorkerCode.of(analysis), Entries.of(analysis)
    writers = [each for use in writes if (each := code.runs(use.module, use.node)) is not None]
    if writers:
        if not all(map(is_of_some_loaders, writers)):
            return None
        other = next((each for _, each in runs_by_boundary(analysis, function, writes)), None)
        if other is None:
            return None
        function = other
    boundary = function.crossing.boundary
    module = boundary.frame.module
    found = [(use, entry) for use in writes for entry in entries.entries(use.module, use.node)]
    if any(entry.kind == "import" for _, entry in found):
        return None
    starts = entries.entries(module, boundary.node)
    return function, [
        (use, entry)
        for use, entry in found
        if may_belong(analysis, boundary, entry.module)
        and (
            around
            or any(is_before(entry, use.node, start, module, boundary.node) for start in starts)
        )
    ]


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
