"""DLF107: a callable that pickle cannot find is given to a call that is likely to start workers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.project.syntax import dotted
from dlfix.reach.likely import WORDS, kept_out_of_view, likely_crossings
from dlfix.rules.base import Finding, Rule
from dlfix.rules.reading import callables

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis
    from dlfix.reach.crossing import Crossing


class CallableMayReachWorker(Rule):
    """A lambda or local function is passed to a call that probably sends it to the workers.

    ## What it does

    Finds lambdas and local functions passed as `collate_fn`, `worker_init_fn`, `transform` or
    `target_transform` to a function or class that dlfix cannot read, together with a dataset or with
    a number of workers. Whether the call starts workers is unknown, so the severity is `likely`. So are those that a class
    that dlfix cannot read is made of, if its object is sent to the workers: it may keep the callable. The rule is
    off in `dlfix check` unless it is selected by its code or name, and on in `dlfix trace`.

    ## The error you see

    If the call starts workers, the error of [DLF101](DLF101.md) or [DLF102](DLF102.md):

        AttributeError: Can't pickle local object 'train.<locals>.<lambda>'

    ## Example

        from trainkit import make_loader


        def train(rows):
            return make_loader(rows, collate_fn=lambda batch: batch[0], num_workers=2)

    ## Use instead

        from trainkit import make_loader


        def _collate_fn(batch):
            return batch[0]


        def train(rows):
            return make_loader(rows, collate_fn=_collate_fn, num_workers=2)

    If the call is known to start workers, add it to the catalogue (`extend-catalog`), so that DLF101 and
    DLF102 report the callable and `dlfix apply` fixes it.

    ## Fix safety

    There is no fix, because the callable may stay in the parent.

    ## How to turn it off

    The rule is off unless it is selected (`extend-select = ["DLF107"]`). To suppress one finding, add
    `# dlfix: ignore[DLF107]` to the line of the object or of the call.
    """

    code = "DLF107"
    name = "callable-may-reach-worker"
    severity = "likely"
    words = WORDS

    def check(self, analysis: Analysis) -> Iterator[Finding]:
        """Yield a finding for each callable that is likely to cross and has no name of its own."""
        seen: set[object] = {
            callables.definition(crossing.value) for crossing in analysis.crossings
        }
        for crossings, what in (
            (likely_crossings(analysis), "which probably sends it to the workers"),
            (kept_out_of_view(analysis), "which probably keeps it and is sent to the workers"),
        ):
            for crossing in crossings:
                why = callables.problem(crossing, analysis)
                if why in ("lambda", "local", "named") and crossing.value not in seen:
                    seen.add(crossing.value)
                    yield callables.finding(type(self), crossing, _message(crossing, what))


def _message(crossing: Crossing, then: str) -> str:
    name = callables.name_of(crossing)
    what = "Lambda" if name == "lambda" else f"Local function `{name}`"
    func = getattr(crossing.boundary.node, "func", None)
    called = (dotted(func) if func is not None else "") or "the call"
    return f"{what} is passed to `{called}`, {then}"
