"""DLF101: a lambda is sent to the workers but cannot be pickled."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.rules.base import Finding, Rule
from dlfix.rules.reading import callables

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis


class LambdaReachesWorker(Rule):
    """A lambda is sent to the workers but cannot be pickled.

    ## What it does

    Follows the objects that a loader, process or pool sends to its workers, and reports each lambda
    among them: as `collate_fn`, on a dataset, inside `Compose([...])`, as the factory of a
    `defaultdict`. A lambda that stays in the parent, such as the key of a sampler, is not reported.

    ## The error you see

    With torch 2.13 on Python 3.11:

        AttributeError: Can't pickle local object 'train.<locals>.<lambda>'

    ## Example

        from torch.utils.data import DataLoader


        def train(rows):
            for row in DataLoader(rows, collate_fn=lambda batch: batch[0], num_workers=2):
                print(row)


        if __name__ == "__main__":
            train(list(range(8)))

    ## Use instead

        from torch.utils.data import DataLoader


        def _collate_fn(batch):
            return batch[0]


        def train(rows):
            for row in DataLoader(rows, collate_fn=_collate_fn, num_workers=2):
                print(row)


        if __name__ == "__main__":
            train(list(range(8)))

    ## Fix safety

    The fix is safe if every captured name keeps its value: captures become keyword parameters bound
    with `functools.partial`. If a captured name is reassigned later, the fix is unsafe, because
    a partial binds the value instead of the name. If the result would be wrong, there is no fix,
    and the finding names the line.

    ## How to turn it off

    `# dlfix: ignore[DLF101]` on the line of the object or of the boundary, or `ignore = ["DLF101"]`.
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
                    type(self), crossing, "Lambda is sent to the workers but cannot be pickled"
                )
