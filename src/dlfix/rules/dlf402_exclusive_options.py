"""DLF402: mutually exclusive options are passed to a loader."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.rules.base import Finding, Rule
from dlfix.rules.loader_options import findings

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis


class ExclusiveOptions(Rule):
    """Mutually exclusive options are passed to a loader.

    ## What it does

    Finds `sampler` with `shuffle=True`, `batch_sampler` with `batch_size`, `shuffle`, `sampler` or
    `drop_last`, and `batch_size=None` with `drop_last=True`.

    ## The error you see

    torch 2.13, Python 3.11:

        ValueError: sampler option is mutually exclusive with shuffle
        ValueError: batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last
        ValueError: batch_size=None option disables auto-batching and is mutually exclusive with drop_last

    ## Example

        from torch.utils.data import DataLoader, RandomSampler


        def train(clips):
            for batch in DataLoader(clips, sampler=RandomSampler(clips), shuffle=True):
                print(batch)


        if __name__ == "__main__":
            train(list(range(8)))

    ## Use instead

        from torch.utils.data import DataLoader, RandomSampler


        def train(clips):
            for batch in DataLoader(clips, sampler=RandomSampler(clips)):
                print(batch)


        if __name__ == "__main__":
            train(list(range(8)))

    ## Fix safety

    The fix is unsafe: it keeps the sampler and removes the shuffling. Where there is a sampler at times
    only, it is safe: `shuffle=sampler is None`. There is no fix for a call with both a `sampler` and a
    `batch_sampler`.

    ## How to turn it off

    `# dlfix: ignore[DLF402]` on the line of the option, or `ignore = ["DLF402"]`.
    """

    code = "DLF402"
    name = "exclusive-options"
    codemods = ("loader_arguments",)

    def check(self, analysis: Analysis) -> Iterator[Finding]:
        """Yield a finding for each loader and option."""
        yield from findings(type(self), analysis)
