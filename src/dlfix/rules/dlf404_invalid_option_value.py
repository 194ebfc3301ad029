"""DLF404: an option of a loader has an invalid value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dlfix.rules.base import Finding, Rule
from dlfix.rules.loader_options import findings, late_changes

if TYPE_CHECKING:
    from dlfix.reach.analysis import Analysis


class InvalidOptionValue(Rule):
    """An option of a loader has an invalid value.

    ## What it does

    Finds negative counts, an unknown start method, an invalid context, a batch size that is not a
    positive integer, and assignments to attributes of a loader that cannot change after it is
    created.

    ## The error you see

    torch 2.13, Python 3.11:

        ValueError: num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.
        ValueError: timeout option should be non-negative
        ValueError: prefetch_factor option should be non-negative
        ValueError: multiprocessing_context option should specify a valid start method in ['fork', 'spawn', 'forkserver'], but got multiprocessing_context='thread'
        TypeError: multiprocessing_context option should be a valid context object or a string specifying the start method, but got multiprocessing_context=1
        ValueError: batch_size should be a positive integer value, but got batch_size=0
        ValueError: batch_size attribute should not be set after DataLoader is initialized

    ## Example

        from torch.utils.data import DataLoader


        def main(rows):
            for batch in DataLoader(rows, batch_size=4, num_workers=-1):
                print(batch)


        if __name__ == "__main__":
            main(range(8))

    ## Use instead

        from torch.utils.data import DataLoader


        def main(rows):
            for batch in DataLoader(rows, batch_size=4, num_workers=2):
                print(batch)


        if __name__ == "__main__":
            main(range(8))

    ## Fix safety

    There is no fix: the intended value is unknown.

    ## How to turn it off

    `# dlfix: ignore[DLF404]` on the line of the option, or `ignore = ["DLF404"]`.
    """

    code = "DLF404"
    name = "invalid-option-value"

    def check(self, analysis: Analysis) -> Iterator[Finding]:
        """Yield a finding for each loader and option."""
        yield from findings(type(self), analysis)
        yield from late_changes(analysis, type(self))
