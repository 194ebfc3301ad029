"""DLF101: a lambda reaches the workers, and cannot be pickled."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.rules.base import Finding, Rule
from dlfix.rules.reading import callables

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis


class LambdaReachesWorker(Rule):
    """A lambda reaches the workers, and cannot be pickled.

    ## What it does

    Follows what a loader, process or pool ships, and names each lambda that is found on the way: as
    `collate_fn`, on a dataset, inside `Compose([...])`, as the factory of a `defaultdict`. A lambda
    that is called on the spot, or stays in the parent (a sampler's key), is never named.

    ## The error you see

    With torch 2.13 on Python 3.11:

        AttributeError: Can't pickle local object 'train.<locals>.<lambda>'

    ## Example

        loader = DataLoader(rows, collate_fn=lambda batch: batch[0], num_workers=4)

    ## Use instead

        def _collate_first(batch):
            return batch[0]


        loader = DataLoader(rows, collate_fn=_collate_first, num_workers=4)

    ## Fix safety

    Safe where every name the lambda captures keeps its value: captures become keyword parameters bound
    by `functools.partial`. Where a captured name is bound again later, by value and by reference
    differ, and the fix is unsafe; where it can't be right it is refused, with the line.

    ## How to switch it off

    `# dlfix: ignore[DLF101]` on the line of the culprit or of the boundary, or `ignore = ["DLF101"]`.
    """

    code = "DLF101"
    name = "lambda-reaches-worker"
    codemods = ("module_level_callables",)
    blocks = True

    def check(self, analysis: Analysis) -> Iterator[Finding]:
        """Yield a finding for each lambda that crosses and has no name of its own."""
        for crossing in analysis.pickled:
            if callables.problem(crossing, analysis) == "lambda":
                yield callables.finding(
                    type(self), crossing, "a lambda reaches the workers and cannot be pickled"
                )
