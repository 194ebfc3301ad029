"""Plan how a stream's samples are shared out among workers: at its source, or at its end."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dlfix.fixing.plans import Applicability, Edit, Fix, Planned, Refused
from dlfix.rules.reading import streams
from dlfix.rules.reading.names import free_attribute, words
from dlfix.source.text import Span

if TYPE_CHECKING:
    from dlfix.project.module import Module
    from dlfix.reach.analysis import Analysis
    from dlfix.rules.base import Finding
    from dlfix.rules.reading.streams import Stream

CODEMOD = "worker_sharding"
_WHY = "with workers, each sample is yielded once instead of once per worker"


@dataclass(frozen=True)
class Names:
    """The local names a share is worked out with."""

    worker: str
    start: str
    step: str


@dataclass(frozen=True)
class ShardSource:
    """Put `islice(source, ...)` for what is `replaced`; the share is worked out `above`."""

    above: Span
    replaced: Span
    source: Span
    names: Names


@dataclass(frozen=True)
class ShardOutput:
    """Rename `__iter__`, and make a new one that takes each worker's share of what it yields."""

    function: Span
    renamed: str
    names: Names


def plan(findings: Sequence[Finding], analysis: Analysis) -> Iterator[Planned]:
    """Answer for findings of DLF501: one fix for each `__iter__`."""
    groups: dict[object, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(finding.evidence.place, []).append(finding)
    for group in groups.values():
        yield Planned(tuple(group), _outcome(group[0].evidence))


def _outcome(stream: Stream) -> Fix | Refused:
    if stream.refused:
        return Refused(stream.refused)
    shape = streams.shape(stream.function)
    if isinstance(shape, str):
        return Refused(shape)
    edit = Edit(stream.module.path, CODEMOD, _plan(stream, shape))
    message = f"Split the samples of `{stream.cls.name}` among the workers"
    return Fix(message, Applicability.UNSAFE, (edit,), why_unsafe=_WHY)


def _plan(stream: Stream, shape: streams.Source | None) -> ShardSource | ShardOutput:
    module, taken = stream.module, words(stream.function)
    names = Names(
        _free(("worker", "worker_info"), taken),
        _free(("start", "first"), taken),
        _free(("step", "stride"), taken),
    )
    if shape is None:
        renamed = free_attribute("_samples", words(stream.cls))
        return ShardOutput(module.span(stream.function), renamed, names)
    return ShardSource(
        _span(module, shape.above), module.span(shape.replaced), module.span(shape.source), names
    )


def _span(module: Module, statement: ast.stmt) -> Span:
    return module.span(statement)


def _free(candidates: Sequence[str], taken: set[str]) -> str:
    free = next((name for name in candidates if name not in taken), None)
    return free or free_attribute(candidates[0], taken)
