"""Locks and queues of multiprocessing whose context is not that of the workers which get them."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dlfix.project.targets import oldest_minor
from dlfix.reach.chosen_methods import chosen_for_all
from dlfix.reach.starts import FOR_START, given_as, method_of
from dlfix.reach.values import External, ExternalCall, ModuleValue

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis
    from dlfix.reach.crossing import Crossing
    from dlfix.rules.reading.handles import Handle

ERROR = (
    "RuntimeError: A SemLock created in a fork context is being shared with a process in a {} context. "
    "This is not supported. Please use the same context to create multiprocessing objects and Process."
)
_WITH_SEMAPHORES = frozenset(
    "Lock RLock Semaphore BoundedSemaphore Condition Event Barrier Queue JoinableQueue SimpleQueue "
    "Value Array".split()
)
_LIBRARIES = ("multiprocessing", "torch.multiprocessing")
_AT_START = ("DataLoader", "Process", "spawn")
_FORKSERVER_SINCE = 14  # Python 3.14 no longer forks by default


@dataclass(frozen=True)
class OfAnotherContext:
    """An object of the default context, sent to workers that are started otherwise than by fork."""

    crossing: Crossing
    made: ast.Call
    method: str


def of_another_context(handle: Handle, analysis: Analysis) -> OfAnotherContext | None:
    """Return how an object that crosses when workers start cannot be pickled for them; None where it can."""
    crossing, value = handle.crossing, handle.crossing.value
    boundary = crossing.boundary
    if boundary.kind not in _AT_START or boundary.workers is False:
        return None
    if chosen_for_all(analysis, boundary):
        return None
    if not isinstance(value, ExternalCall) or not isinstance(value.node, ast.Call):
        return None
    library, _, name = value.name.rpartition(".")
    module = value.frame.module
    is_whole = all(keyword.arg not in (None, "lock") for keyword in value.node.keywords)
    if (
        library not in _LIBRARIES
        or name not in _WITH_SEMAPHORES
        or not is_whole
        or not _is_default(value, analysis)
    ):
        return None
    if (oldest_minor(module.path) or 0) >= _FORKSERVER_SINCE:
        return None
    method = method_of(analysis, boundary)
    if method not in ("spawn", "forkserver"):
        return None
    return OfAnotherContext(crossing, value.node, str(method))


def is_in_a_task(handle: Handle) -> bool:
    """Return whether what may only be passed when a worker starts is part of a task: `pool.map(self.work, paths)`."""
    crossing = handle.crossing
    is_task = (
        crossing.boundary.kind in ("Pool", "Executor", "Queue")
        and given_as(crossing) not in FOR_START
    )
    return is_task and handle.row.pickles == "start-only"


def _is_default(value: ExternalCall, analysis: Analysis) -> bool:
    """Return whether multiprocessing itself is asked for an object, and not a context."""
    func = value.node.func
    if isinstance(func, ast.Attribute):
        owners = [each.value for each in analysis.evaluate(func.value, value.frame)]
        return bool(owners) and all(isinstance(each, ModuleValue) for each in owners)
    return all(isinstance(each.value, External) for each in analysis.evaluate(func, value.frame))
